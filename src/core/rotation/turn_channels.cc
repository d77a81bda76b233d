#include "core/rotation/turn_channels.h"

#include "core/rotation/channel_head.h"

namespace posenc::rotation {
namespace {

ChannelRule rule_of(const ChannelJob& job) {
  const RotarySchedule& schedule = job.rows.schedule();
  return {.head_dim = schedule.head_dim,
          .first_channel = schedule.first_channel,
          .pairs = schedule.pairs(),
          .layout = schedule.layout,
          .parts = 1,
          .backward = job.backward,
          .scale = job.scale};
}

template <class AnyView>
AnyView token_of(const AnyView& view, std::int64_t b, std::int64_t n) {
  return view.rank == 4 ? view[b][n] : view[n];
}

template <class T>
void turn_token(const ChannelJob& job, std::int64_t b, std::int64_t n) {
  using Head = ChannelHead<T>;
  typename Head::Real cos[spec::kMaxHeadDim];
  typename Head::Real sin[spec::kMaxHeadDim];
  job.rows.at(job.positions, job.positions.batch == 1 ? 0 : b, n, cos, sin);
  const Head head(rule_of(job));
  const ConstView in = token_of(job.views.in, b, n);
  const View out = token_of(job.views.out, b, n);
  for (std::int64_t h = 0; h < in.shape[0]; ++h) head.turn(cos, sin, in[h].template as<T>(), out[h].template as<T>());
}

}  // namespace

void turn_channels(const ChannelJob& job) {
  const HeadGrid grid = grid_of_heads(job.views.in);
  if (job.views.in.size() == 0) return;
  base::with_float_type(job.views.in.dtype, [&](auto type) {
    run_parts(job.workers, grid.batch * grid.tokens,
              [&](std::int64_t token) { turn_token<decltype(type)>(job, token / grid.tokens, token % grid.tokens); });
  });
}

}  // namespace posenc::rotation
