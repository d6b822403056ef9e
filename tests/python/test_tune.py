"""heddle tune: measures, writes what can be read again, and says what is wrong."""

import json

CURVES = ("pack_ns_per_byte", "unpack_ns_per_byte", "pack_by_columns_ns_per_byte", "move_ns_per_byte")


def test_writes_where_heddle_looks_for_it(heddle, tmp_path):
    done = heddle("tune", "--quick", XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 0, done
    file = tmp_path / "heddle/profile.json"
    assert "process_vm_readv: a call" in done.stdout and "65536 B" in done.stdout
    assert str(file) in done.stdout.replace("\n", "")
    profile = json.loads(file.read_text())
    assert profile["heddle_profile"] == 1 and profile["machine"]["cores"] >= 1 and "comment" in profile
    for curve in CURVES:
        assert len(profile[curve]) == 8 and all(0 < ns < 100 for ns in profile[curve].values())
    assert not list(tmp_path.rglob("*.json.*"))


def test_json_and_output(heddle, tmp_path):
    done = heddle("tune", "--quick", "--json", "--output", tmp_path / "deep/er/p.json")
    assert json.loads(done.stdout) == json.loads((tmp_path / "deep/er/p.json").read_text())


def test_what_cannot_be_written(heddle, tmp_path):
    (tmp_path / "file").write_text("")
    done = heddle("tune", "--quick", "--output", tmp_path / "file/p.json")
    assert done.returncode == 2 and done.stderr.startswith("heddle: cannot write") and "--output" in done.stderr


def test_no_home(heddle):
    done = heddle("tune", "--quick", HOME="", XDG_CONFIG_HOME="")
    assert done.returncode == 2 and "no home" in done.stderr
