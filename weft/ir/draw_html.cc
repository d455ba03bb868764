// A drawing as a self-contained HTML page: the layouts of all scopes as data, and the script that
// shows them.
#include "weft/base/drawing_style.h"
#include "weft/base/svg.h"
#include "weft/ir/draw_script.h"
#include "weft/ir/drawn_scope.h"

namespace weft::ir {
namespace {

using End = Picture::End;

std::string json_text(std::string_view label) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || c == '<') {  // "</script>" would end the script
      out += weft::text("\\u00", kDigits[byte >> 4], kDigits[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class List, class Write>
std::string json_list(const List& list, Write write) {
  std::string out = "[";
  for (const auto& one : list) out += weft::text(out.size() > 1 ? "," : "", write(one));
  return out + "]";
}
std::string number(double x) { return weft::text(svg_number(x)); }

// The layout of a scope as JSON, with all scopes inside it folded.
std::string scope_data(const Picture& picture, size_t s, double widest) {
  const Picture::Scope& scope = picture.scopes[s];
  const DrawnScope drawn =
      lay_out_scope(picture, s, std::vector<bool>(picture.scopes.size(), false), widest);
  std::string items, edges;
  for (size_t i = 0; i < scope.items.size(); ++i) {
    const Picture::Item& item = scope.items[i];
    const Rectangle& r = drawn.items[i];
    const int64_t inside =
        item.inside == Picture::kNoScope || picture.scopes[item.inside].items.empty()
            ? -1
            : static_cast<int64_t>(item.inside);
    items += weft::text(items.empty() ? "" : ",\n", "{\"x\":", number(r.x), ",\"y\":", number(r.y),
                        ",\"w\":", number(r.width), ",\"h\":", number(r.height),
                        ",\"row\":", drawn.rows[i], ",\"inside\":", inside,
                        ",\"title\":", json_text(item.title), ",\"tip\":", json_text(item.tip),
                        ",\"svg\":", json_text(box_svg(item, /*has_tip=*/false)), "}");
  }
  const auto end = [](const End& one) {
    return weft::text('[', size_t(one.kind), ',', one.index, ',', one.port, ']');
  };
  for (size_t e = 0; e < scope.edges.size(); ++e) {
    const Picture::Edge& edge = scope.edges[e];
    edges += weft::text(edges.empty() ? "" : ",\n", "{\"from\":", end(edge.from),
                        ",\"to\":", end(edge.to), ",\"line\":", size_t(edge.line), ",\"route\":",
                        json_list(drawn.routes[drawn.route_of[e]],
                                  [](const DrawPoint& p) {
                                    return weft::text('[', number(p.x), ',', number(p.y), ']');
                                  }),
                        "}");
  }
  return weft::text(
      "{\"title\":", json_text(scope.title), ",\"function\":", scope.is_function,
      ",\"w\":", number(drawn.width), ",\"h\":", number(drawn.height), ",\"rows\":",
      json_list(drawn.layers,
                [](const LayeredLayout::Row& row) {
                  return weft::text('[', number(row.top), ',', number(row.bottom), ']');
                }),
      ",\"in\":", json_list(drawn.ways_in, number), ",\"out\":", json_list(drawn.ways_out, number),
      ",\n\"items\":[", items, "],\n\"edges\":[", edges, "]}");
}

constexpr std::string_view kPageStyle =
    "html,body{margin:0;height:100%;font-family:Helvetica,Arial,'Liberation Sans',sans-serif;"
    "color:#22303c}body{display:flex;flex-direction:column}"
    "header{padding:8px 14px;border-bottom:1px solid #e3e8ed;font-size:14px}"
    "header b{margin-right:18px}button{font:inherit;font-size:12px;margin-right:6px;padding:2px "
    "10px;border:1px solid #c9d2da;border-radius:4px;background:#fff;color:#22303c;cursor:pointer}"
    "header span{color:#6b7a88;font-size:12px;margin-left:10px}"
    "svg{flex:1;width:100%;min-height:0;touch-action:none}"
    "[data-open],[data-close]{cursor:pointer}[data-open]:hover .folded{stroke:#5b4bab}"
    "#tip{position:fixed;max-width:520px;white-space:pre-wrap;background:#22303c;color:#fff;"
    "font-size:12px;line-height:1.45;padding:7px 10px;border-radius:5px;pointer-events:none}";

}  // namespace

std::string draw_html(const Function& function, const DrawOptions& options) {
  const Picture picture = picture_of(function, options);
  std::string scopes, open;
  for (size_t s = 0; s < picture.scopes.size(); ++s) {
    scopes += weft::text(s == 0 ? "" : ",\n", scope_data(picture, s, options.widest));
  }
  const std::vector<bool> is_open = open_scopes(picture, options);
  for (size_t s = 1; s < is_open.size(); ++s) {
    if (is_open[s]) open += weft::text(open.empty() ? "" : ",", s);
  }
  const std::string title = svg_text(picture.scopes[0].title);
  return weft::text(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", title,
      "</title><style>", kPageStyle, kDrawingStyle, "</style></head>\n<body><header><b>", title,
      "</b><button id=\"fold\">fold all</button><button id=\"unfold\">unfold all</button>"
      "<button id=\"fit\">fit</button><span>click a scope to open or close it; drag to move, "
      "scroll to zoom</span></header>\n<svg xmlns=\"http://www.w3.org/2000/svg\">",
      kArrowHead,
      "<g id=\"drawing\"></g></svg><div id=\"tip\" hidden></div>\n<script>\nconst data = {",
      "\"open\":[", open, "],\n\"scopes\":[\n", scopes, "]};", kDrawScript,
      "</script></body></html>\n");
}

}  // namespace weft::ir
