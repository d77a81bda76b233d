#include "core/layers/layer_checks.h"

#include <string>

#include "core/base/refuse.h"

namespace posenc::layers {

void LayerChecks::tokens(const ConstView& view, std::string_view name) const {
  base::check_view(view, {.dtypes = base::kReals, .shape = {"B", "N", "M"}, .batch = base::Batch::optional}, where,
                   name);
}

std::int64_t LayerChecks::key_heads(std::int64_t heads, std::int64_t key_heads) const {
  base::require(heads >= 1, where, "heads must be at least 1 but got ", heads);
  base::require(key_heads >= 0 && (key_heads == 0 || heads % key_heads == 0), where, "key_heads must divide heads, ",
                heads, ", but got ", key_heads);
  return key_heads > 0 ? key_heads : heads;
}

void LayerChecks::token_output(const View& view, const ConstView& like, std::string_view name) const {
  base::check_view(view, {.dtypes = like.dtype, .shape = base::shape_of(like), .use = base::Use::write}, where, name);
}

void LayerChecks::same_as_x(const ConstView& view, const ConstView& x, std::string_view name) const {
  base::check_view(view, {.dtypes = x.dtype, .shape = base::shape_of(x), .like = "x"}, where, name);
}

void LayerChecks::weight(const ConstView& view, const base::Shape& shape, std::string_view name) const {
  base::check_view(view, {.shape = shape, .channels = base::Channels::any}, where, name);
}

void LayerChecks::optional_weight(const ConstView& view, const base::Shape& shape, std::string_view name) const {
  if (view.rank > 0) weight(view, shape, name);
}

void LayerChecks::gradient(const View& view, const ConstView& like, std::string_view of) const {
  if (view.rank == 0) return;
  base::require(like.rank != 0, where, "the gradient of ", of, " must not be given because there is no ", of);
  const std::string name = "the gradient of " + std::string(of);
  base::check_view(view, {.dtypes = base::kReals, .shape = base::shape_of(like), .use = base::Use::write}, where, name);
}

void LayerChecks::apart_from(const NamedView& written, const std::vector<NamedView>& read) const {
  for (const NamedView& other : read) base::check_apart(written, other, where);
}

void LayerChecks::gradients_apart(const std::vector<NamedView>& written, const std::vector<NamedView>& read) const {
  std::vector<std::string> names;
  for (const NamedView& view : written) names.push_back("the gradient of " + std::string(view.name));
  std::vector<NamedView> gradients;
  for (std::size_t i = 0; i < written.size(); ++i) gradients.push_back({names[i], written[i].view});
  base::check_apart(gradients, where);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].name != "x" && written[i].name != "context") apart_from(gradients[i], read);
  }
}

}  // namespace posenc::layers
