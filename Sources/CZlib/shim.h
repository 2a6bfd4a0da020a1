#pragma once
// The init calls are macros that Swift does not see: call those that end in `_` with version and size.
#include <zlib.h>
