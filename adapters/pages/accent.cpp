// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/accent.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace kbase::pages {
namespace {

using Color = std::array<double, 3>;  // red, green, blue, of 0 to 1

constexpr Color kBlack = {0, 0, 0};
constexpr Color kWhite = {1, 1, 1};
// --paper in palette.css.
constexpr std::string_view kLightPaper = "#fbfaf6";
constexpr std::string_view kDarkPaper = "#161716";
constexpr double kContrast = 4.5;
constexpr double kStep = 0.05;
constexpr double kLightTint = 0.08;
constexpr double kDarkTint = 0.15;

Color parse(std::string_view text) {
  Color color{};
  for (std::size_t i = 0; i < color.size(); ++i) {
    unsigned value = 0;
    const char* const begin = text.data() + 1 + 2 * i;
    std::from_chars(begin, begin + 2, value, 16);
    color[i] = value / 255.0;
  }
  return color;
}

std::string format(const Color& color) {
  std::array<char, 8> text{};
  const auto byte = [](double part) { return static_cast<unsigned>(std::lround(part * 255)); };
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", byte(color[0]), byte(color[1]), byte(color[2]));
  return text.data();
}

Color mix(const Color& a, const Color& b, double share_of_a) {
  Color mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = a[i] * share_of_a + b[i] * (1 - share_of_a);
  return mixed;
}

/// The relative luminance of WCAG 2.2.
double luminance(const Color& color) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
}

/// The contrast ratio of WCAG 2.2, 1 to 21.
double contrast(const Color& a, const Color& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

/// The colors of a scheme: of texts, of texts on it, and of areas behind texts in it.
struct Scheme {
  Color accent, on_accent, tint;
};

Scheme make_scheme(const Color& color, const Color& paper, const Color& away, double tint) {
  Scheme scheme;
  for (double share = 1; share >= 0; share -= kStep) {
    scheme.accent = mix(color, away, share);
    scheme.tint = mix(scheme.accent, paper, tint);
    if (contrast(scheme.accent, paper) >= kContrast && contrast(scheme.accent, scheme.tint) >= kContrast) break;
  }
  scheme.on_accent = contrast(kWhite, scheme.accent) >= contrast(kBlack, scheme.accent) ? kWhite : kBlack;
  return scheme;
}

}  // namespace

std::string accent_style(std::string_view color) {
  const Scheme light = make_scheme(parse(color), parse(kLightPaper), kBlack, kLightTint);
  const Scheme dark = make_scheme(parse(color), parse(kDarkPaper), kWhite, kDarkTint);
  const auto rule = [&](std::string_view name, Color Scheme::*member) {
    return std::string(name) + ":light-dark(" + format(light.*member) + ',' + format(dark.*member) + ");";
  };
  return ":root{" + rule("--accent", &Scheme::accent) + rule("--on-accent", &Scheme::on_accent) +
         rule("--tint", &Scheme::tint) + "}";
}

}  // namespace kbase::pages
