// A user of an installed posenc::models: exits with 0 only if the catalog exists and a model equals itself.
#include <posenc/model.h>
#include <posenc/models/models.h>

int main() {
  const posenc::CatalogEntry* entry = posenc::find_in_catalog("llama-3.1-8b");
  if (entry == nullptr) return 1;
  const posenc::Model model = posenc::load_model(std::string(entry->config));
  const posenc::ModelGroup& group = posenc::group_of_layer(model, 0);
  return posenc::compare(group, group).verdict == posenc::Agreement::equal ? 0 : 1;
}
