#pragma once

namespace bridle::bench {

// Bytes a second of full gradients over data larger than the caches, beside a triad's, as Markdown.
void gradient_throughput(int rounds);

}  // namespace bridle::bench
