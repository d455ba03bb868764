// How drawings of graphs and tapes look: the ink, grays and font of the charts of training.
#pragma once

#include <string_view>

namespace weft {

inline constexpr double kTitleSize = 12, kLineSize = 10.5, kChipSize = 10, kFrameSize = 11.5;

inline constexpr std::string_view kDrawingStyle =
    "text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;fill:#22303c}"
    ".name{font-size:12px;font-weight:bold;text-anchor:middle}"
    ".line{font-size:10.5px;fill:#6b7a88;text-anchor:middle}"
    ".chip{font-size:10px;text-anchor:middle}"
    ".frame-name{font-size:11.5px;font-weight:bold;fill:#51606e;paint-order:stroke;"
    "stroke:#f7f9fb;stroke-width:4px}"
    ".title{font-size:14px;font-weight:bold}.legend{font-size:10.5px;fill:#6b7a88}"
    "rect{stroke-width:1}"
    ".op{fill:#eef4fb;stroke:#9dbbdd}.input{fill:#fdf1e7;stroke:#e5a674}"
    ".variable{fill:#eaf5ec;stroke:#93c29e}.result{fill:#fdf1e7;stroke:#e5a674}"
    ".folded{fill:#f2f0fa;stroke:#9b90cc}.under{fill:#f2f0fa;stroke:#c3bce0}"
    ".gradient{fill:#fdeeee;stroke:#dda3a3}"
    ".frame{fill:#f7f9fb;stroke:#d2dae2}.function{fill:#f7f9fb;stroke:#9dbbdd;stroke-dasharray:5 3}"
    ".parameter{fill:#dff0e3;stroke:none}.constant{fill:#e6eaee;stroke:none}"
    ".written{fill:#fbe3d0;stroke:none}"
    ".way{fill:none;stroke:#72808d;stroke-width:1.2}.saved{stroke:#c9d2da;stroke-dasharray:3 3}"
    ".order{stroke:#a9b4be;stroke-dasharray:1.5 3}";

inline constexpr std::string_view kArrowHead =
    "<defs><marker id='weft-arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='6.5' "
    "markerHeight='6.5' orient='auto'><path d='M0,0.8 8,4 0,7.2z' fill='#72808d'/></marker></defs>";

}  // namespace weft
