// report/python_line.cpp: finds CPython's functions by their names at run time, and asks for the
// frames.
#include "report/python_line.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace heddle::report {
namespace {

constexpr std::uint64_t is_line = std::uint64_t{1} << 63;  // of Place::offset
constexpr int deepest = 64;                                // frames of mpi4py, at most

/// The functions of CPython's C API, which is stable since Python 3.9.
struct Python {
  Python() noexcept
      : complete(load(is_initialized, "Py_IsInitialized") && load(this_thread, "PyGILState_GetThisThreadState") &&
                 load(first_interpreter, "PyInterpreterState_Head") && load(next_interpreter, "PyInterpreterState_Next") &&
                 load(first_thread, "PyInterpreterState_ThreadHead") && load(next_thread, "PyThreadState_Next") &&
                 load(lock, "PyGILState_Ensure") && load(unlock, "PyGILState_Release") && load(error, "PyErr_Occurred") &&
                 load(clear_error, "PyErr_Clear") && load(frame_of, "PyThreadState_GetFrame") &&
                 load(frame_around, "PyFrame_GetBack") && load(code_of, "PyFrame_GetCode") &&
                 load(line_of, "PyFrame_GetLineNumber") && load(release, "Py_DecRef") && load(keep, "Py_IncRef") &&
                 load(attribute, "PyObject_GetAttrString") && load(text_of, "PyUnicode_AsUTF8")) {
    if (!load(stop_collecting, "PyGC_Disable") || !load(collect, "PyGC_Enable")) stop_collecting = nullptr;
  }

  /// Null if no other thread can hold the lock, or get it before this thread. Otherwise the reason.
  /// heddle report knows these texts (python/heddle/reported/lines.py).
  [[nodiscard]] const char* why_not() const noexcept {
    if (is_initialized() == 0) return "Python has ended";
    const void* const mine = this_thread();
    void* const interpreter = first_interpreter();
    if (!mine || !interpreter) return "the thread is none of Python's";
    if (next_interpreter(interpreter)) return "Python runs several interpreters";
    return first_thread(interpreter) != mine || next_thread(mine) ? "Python runs several threads" : nullptr;
  }
  [[nodiscard]] std::string text(void* object, const char* name) const {
    std::string text;
    if (void* const value = attribute(object, name)) {
      if (const char* const letters = text_of(value)) text = letters;
      release(value);
    }
    if (error()) clear_error();
    return text;
  }

  int (*is_initialized)() = nullptr;
  const void* (*this_thread)() = nullptr;
  void* (*first_interpreter)() = nullptr;
  void* (*next_interpreter)(void*) = nullptr;
  const void* (*first_thread)(void*) = nullptr;
  const void* (*next_thread)(const void*) = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int) = nullptr;
  void* (*error)() = nullptr;
  void (*clear_error)() = nullptr;
  void* (*frame_of)(const void*) = nullptr;
  void* (*frame_around)(void*) = nullptr;
  void* (*code_of)(void*) = nullptr;
  int (*line_of)(void*) = nullptr;
  void (*release)(void*) = nullptr;
  void (*keep)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*text_of)(void*) = nullptr;
  int (*stop_collecting)() = nullptr;
  int (*collect)() = nullptr;
  const bool complete;

 private:
  template <class Function>
  static bool load(Function*& function, const char* name) noexcept {
    function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
  }
};

const Python& python_here() noexcept {
  static const Python python;
  return python;
}

/// Holds the interpreter's lock. The garbage collector stands still, because Python 3.11 may start
/// it when a frame becomes an object, and it may run code of the program.
class Locked {
 public:
  explicit Locked(const Python& python) noexcept
      : python_(python), state_(python.lock()), collected_(python.stop_collecting && python.stop_collecting() == 1) {}
  ~Locked() {
    if (collected_) python_.collect();
    python_.unlock(state_);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  const Python& python_;
  const int state_;
  const bool collected_;
};

/// Lines that were met. They are never freed, because calls may come while the process ends.
struct Lines {
  static constexpr std::size_t most = std::size_t{1} << 13;
  struct Line {
    PythonLine line;
    bool of_program = true;
  };
  std::mutex lock;
  std::map<std::pair<const void*, int>, Line> met;  // key: code object, which is kept alive, and line
};

Lines& lines() {
  static auto* const all = new Lines;
  return *all;
}

std::string_view folder_of(std::string_view file) { return file.substr(0, file.find_last_of('/') + 1); }

/// The line of a frame. Null: there are too many.
const Lines::Line* line_at(const Python& python, void* code, int number, const void* binding) {
  const std::lock_guard guard(lines().lock);
  if (const auto found = lines().met.find({code, number}); found != lines().met.end()) return &found->second;
  if (lines().met.size() >= Lines::most) return nullptr;
  Lines::Line fresh;
  const int named = number > 0 ? number : 1;  // Python knows no line of some instructions
  fresh.line = {.file = python.text(code, "co_filename"), .function = python.text(code, "co_name"), .line = named};
  Dl_info mpi4py{};
  const std::string& file = fresh.line.file;
  fresh.of_program = !file.starts_with("<frozen ") && dladdr(binding, &mpi4py) != 0 && mpi4py.dli_fname &&
                     !file.starts_with(folder_of(mpi4py.dli_fname));
  const auto [at, added] = lines().met.emplace(std::pair{code, number}, std::move(fresh));
  python.keep(code);
  return &at->second;
}

}  // namespace

Place place_of(const PythonLine& line) {
  return {.module = line.file, .offset = is_line | static_cast<std::uint64_t>(line.line), .symbol = line.function};
}

int line_of(const Place& place) noexcept {
  return (place.offset & is_line) != 0 ? static_cast<int>(place.offset & ~is_line) : 0;
}

const char* why_no_python_line() noexcept {
  if (!python_here().complete) return "CPython's C API cannot be found";
  const char* const why = python_here().why_not();
  return why ? why : "";
}

const PythonLine* python_line(const void* binding) noexcept try {
  const Python& python = python_here();
  if (!python.complete || python.why_not()) return nullptr;
  const Locked locked(python);
  if (python.error()) return nullptr;  // the C API must not be called with an error that is pending
  const auto owned = [&](void* object) { return std::unique_ptr<void, decltype(python.release)>(object, python.release); };
  const Lines::Line* innermost = nullptr;
  auto frame = owned(python.frame_of(python.this_thread()));
  for (int depth = 0; frame && depth < deepest; ++depth) {
    const auto code = owned(python.code_of(frame.get()));
    const Lines::Line* const line = line_at(python, code.get(), python.line_of(frame.get()), binding);
    if (!line) return nullptr;
    if (line->of_program) return &line->line;
    if (!innermost) innermost = line;
    frame = owned(python.frame_around(frame.get()));
  }
  return innermost ? &innermost->line : nullptr;
} catch (const std::exception&) {
  return nullptr;  // memory is short
}

const PythonLine* python_line_at(const void* address) noexcept {
  const std::lock_guard guard(lines().lock);
  for (const auto& [key, each] : lines().met)
    if (&each.line == address) return &each.line;
  return nullptr;
}

}  // namespace heddle::report
