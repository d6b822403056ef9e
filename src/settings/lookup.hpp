// settings/lookup.hpp: functions that reading the environment and reading files share. Within this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::settings {

/// The value of a variable in an environment.
std::optional<std::string_view> find(const char* const* environment, std::string_view name);

/// The text as complaints print it, cut if it is long: an absurdly long text would hide the message.
std::string shown(std::string_view text);

/// The variable whose name is nearest to a wrong name; empty: no name is near.
std::string_view nearest_name(std::string_view name);

}  // namespace heddle::settings
