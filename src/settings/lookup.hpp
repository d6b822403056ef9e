// settings/lookup.hpp: what reading the environment and reading files share. Within this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::settings {

/// The value of a variable in an environment.
std::optional<std::string_view> find(const char* const* environment, std::string_view name);

/// What is printed of a text: absurdly long ones would hide the message.
std::string shown(std::string_view text);

/// The variable that a wrong name may be meant for; empty: none is near.
std::string_view nearest_name(std::string_view name);

}  // namespace heddle::settings
