// settings/lookup.hpp: functions for both readers, of the environment and of files. Within this
// room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::settings {

/// The value of a variable in an environment.
std::optional<std::string_view> find(const char* const* environment, std::string_view name);

/// The text in the form for complaints. It is cut if it is long, because an absurdly long text
/// would hide the message.
std::string shown(std::string_view text);

/// The variable whose name is nearest to a wrong name; empty: no name is near.
std::string_view nearest_name(std::string_view name);

}  // namespace heddle::settings
