#pragma once
// Code units are bytes. The short names are macros that Swift does not see: call those that end in _8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
