// Scaled frequencies against those that published models computed, from specs written by hand, and every closed form
// against MPFR. golden/README.md says where the files are from.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "golden/files.h"
#include "posenc/files/json.h"
#include "posenc/list_reader.h"
#include "posenc/position.h"
#include "posenc/reference.h"
#include "posenc/rotary_table.h"
#include "posenc/schedule.h"
#include "support/mpfr_oracle.h"
#include "support/typed_block.h"

namespace posenc::golden_scaling_test {
namespace {

using oracle::Big;

struct GoldenSpec {
  std::string file;   // in golden/scaling or golden/rotary
  std::string group;  // a type of layers or a number; empty: the only group
  std::string spec;   // "@short" and "@long" are lists of the file
};

// What the config of each file says, in posenc's words.
const std::vector<GoldenSpec>& golden_specs() {
  static const std::string longrope =
      "scaling=longrope,short_factor=@short,long_factor=@long,original_positions=4096,max_positions=131072";
  static const std::string llama3 =
      "scaling=llama3,factor=8,low_freq_factor=1,high_freq_factor=4,original_positions=8192";
  static const std::string nested = ",local_base=10000,layer=";
  static const std::vector<GoldenSpec> specs = {
      {"a-default-v5", "", "rotary:head_dim=64"},
      {"a-default-v4-theta-1e6-headdim", "", "rotary:head_dim=128,base=1000000"},
      {"a-partial-truncation", "", "rotary:head_dim=72,base=1000000,partial_rotary_factor=0.9"},
      {"a-linear-2.5-v5", "", "rotary:head_dim=64,base=500000,scaling=linear,factor=2.5"},
      {"a-linear-4-v5", "", "rotary:head_dim=64,scaling=linear,factor=4"},
      {"a-precedence-theta-in-dict", "", "rotary:head_dim=64,base=500000,scaling=linear,factor=2"},
      {"a-dynamic-above-v5", "",
       "rotary:head_dim=64,scaling=dynamic,factor=2,original_positions=2048,sequence_length=8192"},
      {"a-partial-dynamic-above", "",
       "rotary:head_dim=128,base=1000000,partial_rotary_factor=0.5,scaling=dynamic,factor=2,original_positions=4096,"
       "sequence_length=8192"},
      {"a-yarn-betas-v5", "",
       "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=4096,beta_fast=16,beta_slow=2"},
      {"a-yarn-mscale-v5", "",
       "rotary:head_dim=64,scaling=yarn,factor=40,original_positions=4096,mscale=1,mscale_all_dim=0.5"},
      {"a-yarn-mscale-only-v5", "", "rotary:head_dim=64,scaling=yarn,factor=40,original_positions=4096,mscale=0.707"},
      {"a-yarn-truncate-false-v5", "",
       "rotary:head_dim=64,base=150000,scaling=yarn,factor=4,original_positions=4096,truncate=false"},
      {"a-yarn-v4-no-original", "", "rotary:head_dim=64,base=1000000,scaling=yarn,factor=4,original_positions=32768"},
      {"a-yarn-v4-top-level-original", "", "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=8192"},
      {"a-yarn-v5-factor-null", "", "rotary:head_dim=64,scaling=yarn,original_positions=4096,max_positions=32768"},
      {"a-yarn-v5-low-equals-high", "",
       "rotary:head_dim=64,scaling=yarn,factor=8,original_positions=4096,beta_fast=1,beta_slow=1,truncate=false"},
      {"a-partial-yarn", "",
       "rotary:head_dim=128,base=1000000,partial_rotary_factor=0.5,scaling=yarn,factor=4,original_positions=32768"},
      {"a-precedence-partial-in-dict-yarn", "",
       "rotary:head_dim=128,rotary_dim=32,scaling=yarn,factor=4,original_positions=32768"},
      {"a-precedence-type-and-rope-type", "", "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=2048"},
      {"a-llama3-v5", "", "rotary:head_dim=64,base=500000," + llama3},
      {"a-partial-llama3", "", "rotary:head_dim=128,base=1000000,partial_rotary_factor=0.5," + llama3},
      {"a-nested-llama3", "full_attention", "rotary:head_dim=64,base=500000," + llama3 + nested + "5"},
      {"a-nested-llama3", "sliding_attention", "rotary:head_dim=64,base=500000," + llama3 + nested + "2"},
      {"a-longrope-short-v5", "", "rotary:head_dim=64," + longrope + ",sequence_length=4096"},
      {"a-longrope-long-v5", "", "rotary:head_dim=64," + longrope + ",sequence_length=131072"},
      {"a-longrope-factor-v5", "", "rotary:head_dim=64," + longrope + ",factor=16,sequence_length=32769"},
      {"a-longrope-history", "0", "rotary:head_dim=64," + longrope + ",sequence_length=4096"},
      {"a-longrope-history", "1", "rotary:head_dim=64," + longrope + ",sequence_length=4097"},
      {"a-longrope-history", "2", "rotary:head_dim=64," + longrope + ",sequence_length=101"},
      {"a-partial-longrope-long", "",
       "rotary:head_dim=128,base=1000000,partial_rotary_factor=0.5," + longrope + ",sequence_length=8192"},
      {"a-nested-longrope-long", "full_attention",
       "rotary:head_dim=64," + longrope + ",sequence_length=32769" + nested + "5"},
      {"a-nested-longrope-long", "sliding_attention", "rotary:head_dim=64," + longrope + nested + "0"},
      {"a-proportional-one-v5", "", "rotary:head_dim=64,scaling=proportional"},
      {"a-proportional-factor-v5", "", "rotary:head_dim=64,base=1000000,scaling=proportional,share=0.3,factor=2"},
      {"a-partial-proportional", "", "rotary:head_dim=128,base=1000000,scaling=proportional,share=0.5"},
      {"a-nested-proportional", "full_attention", "rotary:head_dim=64,base=1000000,scaling=p_rope,share=0.25"},
      {"a-nested-yarn-truncate-ignored", "full_attention",
       "rotary:head_dim=64,base=1000000,scaling=yarn,factor=4,original_positions=8192"},
      {"b-apertus-8b", "", "rotary:head_dim=128,base=12000000," + llama3},
      {"b-exaone-4.0-1.2b", "0",
       "rotary:head_dim=64,base=1000000,scaling=llama3,factor=16,low_freq_factor=1,high_freq_factor=4,"
       "original_positions=8192"},
      {"b-llama-3.1-8b", "", "rotary:head_dim=128,base=500000," + llama3},
      {"b-llama-3.2-3b", "", "rotary:head_dim=128,base=500000,scaling=llama3,factor=32,original_positions=8192"},
      {"b-llama-4-scout", "0",
       "rotary:head_dim=128,base=500000,layout=interleaved,scaling=llama3,factor=16,low_freq_factor=1,"
       "high_freq_factor=1,original_positions=8192"},
      {"b-ministral-3-8b", "",
       "rotary:head_dim=128,base=1000000,scaling=yarn,factor=16,original_positions=16384,mscale=1,mscale_all_dim=1"},
      {"b-olmo-3-7b", "full_attention",
       "rotary:head_dim=128,base=500000,attention_factor=1.2079441541679836,scaling=yarn,factor=8,"
       "original_positions=8192"},
      {"b-phi-3-mini-128k-long", "", "rotary:head_dim=96," + longrope + ",sequence_length=131072"},
      {"b-phi-3-mini-128k-short", "", "rotary:head_dim=96," + longrope + ",sequence_length=4096"},
      {"b-phi-3.5-moe-short", "",
       "rotary:head_dim=128," + longrope + ",short_mscale=1.1,long_mscale=1.25,list=short_factor,sequence_length=4096"},
      {"b-phi-3.5-moe-long", "",
       "rotary:head_dim=128," + longrope +
           ",short_mscale=1.1,long_mscale=1.25,list=short_factor,sequence_length=32769"},
      {"b-phi-4-mini", "", "rotary:head_dim=128,partial_rotary_factor=0.75," + longrope + ",sequence_length=32769"},
      {"b-qwen2.5-7b-yarn", "", "rotary:head_dim=128,base=1000000,scaling=yarn,factor=4,original_positions=32768"},
      {"b-gpt-oss-20b", "",
       "rotary:head_dim=64,base=150000,scaling=yarn,factor=32,original_positions=4096,truncate=false"},
      {"b-deepseek-v3", "",
       "rotary:head_dim=64,layout=interleaved_to_half,scaling=yarn,factor=40,original_positions=4096,mscale=1,"
       "mscale_all_dim=1"},
      {"b-deepseek-v2-lite", "",
       "rotary:head_dim=64,layout=interleaved,scaling=yarn,factor=40,original_positions=4096,mscale=0.707,"
       "mscale_all_dim=0.707"},
      {"b-hunyuan-a13b", "", "rotary:head_dim=128,scaling=ntk_alpha,alpha=1000"},
      {"b-gemma-3-4b-v5", "full_attention",
       "rotary:head_dim=256,base=1000000,scaling=linear,factor=8,local_base=10000,global_every=6,layer=11"},
      {"b-gemma-3-4b-v5", "sliding_attention",
       "rotary:head_dim=256,base=1000000,scaling=linear,factor=8,local_base=10000,global_every=6,layer=12"},
      {"c-diffusion-gemma", "full_attention", "rotary:head_dim=512,base=1000000,scaling=proportional,share=0.25"},
  };
  return specs;
}

Json golden_file(const std::string& name) {
  for (const char* folder : {"/golden/scaling/", "/golden/rotary/"}) {
    const std::string path = POSENC_TESTS + std::string(folder) + name + ".json";
    if (std::filesystem::exists(path)) return golden::load(path);
  }
  ADD_FAILURE() << "there is no golden " << name;
  return {};
}

const Json& group_of(const Json& file, const std::string& wanted) {
  const Json::Array& groups = file.find("groups")->array();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Json* type = groups[i].find("layer_type");
    if (wanted.empty() || wanted == std::to_string(i) || (type && type->string() == wanted)) return groups[i];
  }
  return groups[0];
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> result;
  for (const Json& item : list.array()) result.push_back(item.number());
  return result;
}

// The list of that name, wherever the config has it.
std::vector<double> list_in(const Json& config, const std::string& name) {
  for (const auto& [key, member] : config.object()) {
    if (key == name + "_factor") return numbers(member);
    if (!member.is_object()) continue;
    std::vector<double> inner = list_in(member, name);
    if (!inner.empty()) return inner;
  }
  return {};
}

Rotary spec_of(const GoldenSpec& golden, const Json& file) {
  return std::get<Rotary>(
      parse_spec(golden.spec, [&](const std::string& name) { return list_in(*file.find("config"), name); }));
}

TEST(GoldenScaling, HasTheFrequenciesAndFactorsOfPublishedModels) {
  for (const GoldenSpec& golden : golden_specs()) {
    SCOPED_TRACE(golden.file + "/" + golden.group);
    const Json file = golden_file(golden.file);
    const Json& group = group_of(file, golden.group);
    const RotarySchedule schedule = make_schedule(spec_of(golden, file));
    const std::vector<double> expected = numbers(*group.find("inv_freq"));
    ASSERT_EQ(schedule.inv_freq.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(schedule.inv_freq[i], expected[i], 1e-6 * expected[i]) << "pair " << i;
    }
    const double factor = group.find("attention_factor")->number();
    EXPECT_NEAR(schedule.attention_factor, factor, 3e-8 * factor);
    if (const Json* used = group.find("seq_len_used"); used && !used->is_null()) {
      EXPECT_EQ(schedule.sequence_length, used->integer());
    }
  }
}

// Their angles are float32 products: off by about position * frequency * 6e-8, and by what their frequencies are off.
// With precision=reference they are the float32 numbers of the modules, step by step. What is left is torch's power,
// which is not always rounded correctly; where frequencies are mixed, that counts more than once.
TEST(GoldenScaling, HasTheFloat32FrequenciesOfPublishedModels) {
  std::size_t equal = 0, all = 0;
  for (const GoldenSpec& golden : golden_specs()) {
    SCOPED_TRACE(golden.file + "/" + golden.group);
    const Json file = golden_file(golden.file);
    Rotary spec = spec_of(golden, file);
    spec.precision = Precision::reference;
    const RotarySchedule schedule = make_schedule(spec);
    const std::vector<double> expected = numbers(*group_of(file, golden.group).find("inv_freq"));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float wanted = static_cast<float>(expected[i]);
      EXPECT_NEAR(schedule.inv_freq[i], expected[i], 4.0 * 0x1p-23 * expected[i]) << "pair " << i;
      equal += static_cast<float>(schedule.inv_freq[i]) == wanted ? 1 : 0;
    }
    all += expected.size();
  }
  std::printf("%zu of %zu frequencies are equal to the last bit\n", equal, all);
  EXPECT_GE(static_cast<double>(equal), 0.99 * static_cast<double>(all));
}

TEST(GoldenScaling, HasTheCosinesOfPublishedModels) {
  for (const GoldenSpec& golden : golden_specs()) {
    SCOPED_TRACE(golden.file + "/" + golden.group);
    const Json file = golden_file(golden.file);
    const Json& group = group_of(file, golden.group);
    const RotaryAngles angles(spec_of(golden, file));
    const std::vector<double> positions = numbers(*group.find("positions"));
    const std::int64_t pairs = angles.schedule().pairs();
    for (std::size_t n = 0; n < positions.size(); ++n) {
      std::vector<double> row(static_cast<std::size_t>(2 * pairs));
      fill_cos_sin(angles, PositionView::of(&positions[n], 1), make_view(row.data(), {1, 2 * pairs}));
      for (const char* name : {"cos", "sin"}) {
        const std::vector<double> expected = numbers(group.find(name)->array()[n]);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const double angle = positions[n] * angles.schedule().inv_freq[i];
          const double value = row[i + (name[0] == 's' ? static_cast<std::size_t>(pairs) : 0)];
          ASSERT_NEAR(value, expected[i], 3e-7 + 8e-7 * angle) << name << " of pair " << i << " at " << positions[n];
        }
      }
    }
  }
}

// The same module called again and again: what it keeps from call to call is a function here.
TEST(GoldenScaling, FollowsTheHistoryOfADynamicModule) {
  const Json file = golden_file("a-dynamic-history");
  std::int64_t built_for = 2048;
  for (const Json& group : file.find("groups")->array()) {
    built_for = dynamic_length_after(built_for, group.find("seq_len_of_call")->integer(), 2048);
    EXPECT_EQ(std::max<std::int64_t>(built_for, 2048),
              std::max<std::int64_t>(group.find("seq_len_used")->integer(), 2048));
    const RotarySchedule schedule = make_schedule(
        Rotary{.head_dim = 64, .scaling = DynamicNtk{.factor = 2.0, .original_positions = 2048}}, built_for);
    const std::vector<double> expected = numbers(*group.find("inv_freq"));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(schedule.inv_freq[i], expected[i], 1e-6 * expected[i]);
    }
  }
}

// The numbers of the papers and of published code, to the digits that are printed.
TEST(PublishedScaling, HasThePrintedNumbers) {
  const auto inv_freq = [](const std::string& text) { return make_schedule(std::get<Rotary>(parse_spec(text))); };
  const RotarySchedule oss =
      inv_freq("rotary:head_dim=64,base=150000,scaling=yarn,factor=32,original_positions=4096,truncate=false");
  EXPECT_NEAR(oss.attention_factor, 1.3465735903, 1e-10);
  EXPECT_NEAR(oss.inv_freq[8] / 5.08132748e-2, 1.0, 2e-9);
  EXPECT_NEAR(oss.inv_freq[10] / 1.93350011e-2, 1.0, 2e-9);
  EXPECT_NEAR(oss.inv_freq[16] / 4.56483919e-4, 1.0, 2e-9);
  EXPECT_NEAR(oss.inv_freq[31] / 3.02351143e-7, 1.0, 2e-9);
  const Yarn yarn{.factor = 32.0, .original_positions = 4096, .truncate = false};
  const YarnRange range = yarn_range(yarn, {.base = 150000.0, .dim = 64, .pairs = 32});
  EXPECT_NEAR(range.low, 8.092779, 1e-6);
  EXPECT_NEAR(range.high, 17.398025, 1e-6);
  const RotarySchedule v3 =
      inv_freq("rotary:head_dim=64,scaling=yarn,factor=40,original_positions=4096,mscale=1,mscale_all_dim=1");
  EXPECT_EQ(v3.attention_factor, 1.0);
  EXPECT_NEAR(v3.inv_freq[16] / 5.5e-3, 1.0, 2e-9);
  EXPECT_NEAR(v3.inv_freq[20] / 7.90569415e-4, 1.0, 2e-9);
  EXPECT_NEAR(std::pow(yarn_magnitude(40.0, 1.0), 2.0), 1.87385421, 1e-8);
  EXPECT_NEAR(std::pow(yarn_magnitude(40.0, 0.707), 2.0), 1.58962617, 1e-8);
  const RotarySchedule qwen = inv_freq("rotary:head_dim=128,base=1e6,scaling=yarn,factor=4,original_positions=32768");
  EXPECT_NEAR(qwen.attention_factor, 1.1386294361, 1e-10);
  EXPECT_NEAR(qwen.inv_freq[63] / 3.10234440e-7, 1.0, 2e-9);
  const RotarySchedule llama = inv_freq("rotary:head_dim=128,base=5e5,scaling=llama3,factor=8,original_positions=8192");
  EXPECT_NEAR(llama.inv_freq[30] / 1.37189357e-3, 1.0, 3e-9);
  EXPECT_NEAR(llama.inv_freq[34] / 1.78507813e-4, 1.0, 3e-9);
  const RotarySchedule gemma = inv_freq("rotary:head_dim=512,base=1e6,scaling=proportional,share=0.25");
  EXPECT_NEAR(gemma.inv_freq[1] / 9.47463526e-1, 1.0, 2e-9);
  EXPECT_NEAR(gemma.inv_freq[63] / 3.33762469e-2, 1.0, 2e-9);
  EXPECT_EQ(gemma.inv_freq[64], 0.0);
  // NTK's base by the width, and LongRoPE's factor for 4 x 64.
  const double bases[][3] = {{32, 2, 20945.9}, {32, 4, 43873.0}, {64, 2, 20452.2}, {64, 8, 85550.4}};
  for (const auto& [dim, factor, base] : bases) {
    const auto width = static_cast<std::int64_t>(dim);
    const ScaledLadder ntk = scale_ladder(Ntk{.factor = factor}, {.dim = width, .pairs = width / 2});
    EXPECT_NEAR(std::pow(ntk.inv_freq[1], -dim / 2.0) / base, 1.0, 1e-5);
    EXPECT_NEAR(ntk.inv_freq.back() * factor / std::pow(10000.0, -(dim - 2.0) / dim), 1.0, 1e-14);
  }
  const LongRope ones{.short_factor = {1, 1}, .long_factor = {1, 1}, .original_positions = 64, .factor = 4.0};
  const Ladder two_pairs{.dim = 4, .pairs = 2, .sequence_length = 8};
  EXPECT_NEAR(scale_ladder(ones, two_pairs).attention_factor, 1.1547, 5e-5);
}

// MPFR with operators: formulas below read as they are printed.
struct M {
  Big value;
  M(double x) : value(x) {}  // NOLINT: numbers are numbers
  explicit M(const Big& x) : value(x) {}
};
template <class Operation>
M apply(const M& a, const M& b, const Operation& operation) {
  M result(0.0);
  operation(result.value.get(), a.value.get(), b.value.get(), MPFR_RNDN);
  return result;
}
M operator+(const M& a, const M& b) { return apply(a, b, mpfr_add); }
M operator-(const M& a, const M& b) { return apply(a, b, mpfr_sub); }
M operator*(const M& a, const M& b) { return apply(a, b, mpfr_mul); }
M operator/(const M& a, const M& b) { return apply(a, b, mpfr_div); }
M power(const M& a, const M& b) { return apply(a, b, mpfr_pow); }
M log(const M& a) {
  M result(0.0);
  mpfr_log(result.value.get(), a.value.get(), MPFR_RNDN);
  return result;
}
M exp(const M& a) {
  M result(0.0);
  mpfr_exp(result.value.get(), a.value.get(), MPFR_RNDN);
  return result;
}
M two_pi() {
  M pi(0.0);
  mpfr_const_pi(pi.value.get(), MPFR_RNDN);
  return pi + pi;
}
double near(const M& a) { return a.value.rounded(); }
M clamp(const M& a) { return near(a) <= 0.0 ? M(0.0) : near(a) >= 1.0 ? M(1.0) : a; }

struct ClosedForm {
  Scaling scaling;
  std::function<M(const M& f, double i)> frequency;  // of the plain one
  double base = 10000.0;
  double dim = 64.0;
};

std::vector<ClosedForm> closed_forms() {
  const double dim = 64.0;
  const auto stepped = [=](const M& growth, double base, double i) {
    return power(M(base) * power(growth, M(dim) / M(dim - 2.0)), M(-2.0 * i) / M(dim));
  };
  const auto mixed = [](const M& f, const M& kept, double factor) {
    return (M(1.0) - clamp(kept)) * f / M(factor) + clamp(kept) * f;
  };
  const auto yarn = [=](const M& f, double i, double base, double trained, double factor, bool truncate) {
    const auto pair = [&](double turns) {
      return M(dim) * log(M(trained) / (two_pi() * M(turns))) / (M(2.0) * log(M(base)));
    };
    M low = pair(32.0), high = pair(1.0);
    const M a = truncate ? M(std::floor(near(low))) : M(low.value);
    const M b = truncate ? M(std::ceil(near(high))) : M(high.value);
    return mixed(f, M(1.0) - (M(i) - a) / (b - a), factor);
  };
  return {
      {NoScaling{}, [](const M& f, double) { return f; }},
      {LinearScaling{2.7}, [](const M& f, double) { return f / M(2.7); }},
      {Ntk{3.3}, [=](const M&, double i) { return stepped(M(3.3), 10000.0, i); }},
      {DynamicNtk{2.5, 3000},
       [=](const M&, double i) { return stepped(M(2.5) * M(10001.0) / M(3000.0) - M(1.5), 10000.0, i); }},
      {NtkAlpha{1000.0}, [=](const M&, double i) { return stepped(M(1000.0), 10000.0, i); }},
      {NtkByParts{8.0, 4096},
       [=](const M& f, double) { return mixed(f, (M(4096.0) * f / two_pi() - M(1.0)) / M(31.0), 8.0); }},
      {Yarn{.factor = 7.0, .original_positions = 5000},
       [=](const M& f, double i) { return yarn(f, i, 10000.0, 5000.0, 7.0, true); }},
      {Yarn{.factor = 32.0, .original_positions = 4096, .truncate = false},
       [=](const M& f, double i) { return yarn(f, i, 150000.0, 4096.0, 32.0, false); }, 150000.0},
      {Llama3{.factor = 8.0, .original_positions = 8192},
       [=](const M& f, double) { return mixed(f, (M(8192.0) * f / two_pi() - M(1.0)) / M(3.0), 8.0); }, 500000.0},
      {Proportional{3.0, 0.5}, [](const M& f, double i) { return i < 16 ? f / M(3.0) : M(0.0); }},
      {PRope{0.75}, [](const M& f, double i) { return i < 24 ? f : M(0.0); }},
      {LearnedMultipliers{std::vector<double>(32, 0.3)}, [](const M& f, double) { return f * exp(M(0.3)); }},
      {LongRope{std::vector<double>(32, 1.7), std::vector<double>(32, 9.1), 4096, 4.0},
       [](const M& f, double) { return f / M(9.1); }},
      {Resonance{}, [](const M& f, double) { return two_pi() / M(std::nearbyint(near(two_pi() / f))); }},
  };
}

TEST(ScaledFrequencies, AreWithinAnUlpOfTheirFormulas) {
  for (const ClosedForm& form : closed_forms()) {
    SCOPED_TRACE(std::string(kind_of(form.scaling)));
    const Ladder ladder{.base = form.base, .dim = 64, .pairs = 32, .sequence_length = 10001};
    const ScaledLadder scaled = scale_ladder(form.scaling, ladder);
    for (std::int64_t i = 0; i < ladder.pairs; ++i) {
      const double number = static_cast<double>(i);
      const M plain = power(M(form.base), M(-2.0 * number) / M(form.dim));
      const M exact = form.frequency(plain, number);
      const double value = scaled.inv_freq[static_cast<std::size_t>(i)];
      if (near(exact) == 0.0) {
        EXPECT_EQ(value, 0.0) << i;
      } else {
        EXPECT_LE(oracle::ulps(value, exact.value), 0.51) << i;
      }
      EXPECT_NEAR(value, reference::scaled_inv_freq(form.scaling, {form.base, 64, 32, 64, 10001}, i),
                  1e-13 * value + 1e-30);
    }
  }
}

}  // namespace
}  // namespace posenc::golden_scaling_test
