#pragma once

namespace bridle::bench {

// Megabytes of text a second from made-up files of 200 MB to the data of a linear model, and the most memory
// that takes, as Markdown.
void loading_speed(int rounds);

}  // namespace bridle::bench
