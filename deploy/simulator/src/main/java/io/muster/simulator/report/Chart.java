package io.muster.simulator.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines over two axes as inline SVG. Immutable.
 *
 * @param across what the horizontal axis shows, with its unit
 * @param up what the vertical axis shows
 */
record Chart(String title, String across, String up, List<Line> lines) {

  /** Points in order. */
  record Line(String name, List<double[]> points) {}

  private static final int WIDTH = 860;
  private static final int HEIGHT = 260;
  private static final int LEFT = 60;
  private static final int BOTTOM = 40;
  private static final int TOP = 12;
  private static final int TICKS = 5;
  private static final int MOST_POINTS = 600;
  private static final String[] COLOURS = {
    "#1b6ca8", "#c8553d", "#4f8a3c", "#7a4fa3", "#b8860b", "#444444"
  };

  String svg() {
    double mostX = most(0);
    double mostY = most(1);
    var svg = new StringBuilder();
    svg.append("<h2>%s</h2>%n".formatted(HtmlReport.escaped(title)));
    svg.append(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n"
            .formatted(WIDTH, HEIGHT + BOTTOM, HtmlReport.escaped(title)));
    for (int i = 0; i <= TICKS; i++) {
      double share = (double) i / TICKS;
      svg.append(line("M%s,%s H%d".formatted(LEFT, coordinate(y(share)), WIDTH), "#dddddd", 1));
      svg.append(text(LEFT - 6, y(share) + 4, "end", short_(share * mostY)));
      svg.append(text(x(share), HEIGHT + 16, "middle", short_(share * mostX)));
    }
    svg.append(text(x(0.5), HEIGHT + 34, "middle", across));
    svg.append(text(LEFT, TOP - 2, "start", up));
    for (int i = 0; i < lines.size(); i++) {
      svg.append(line(path(lines.get(i), mostX, mostY), COLOURS[i % COLOURS.length], 2));
    }
    svg.append("</svg>").append(System.lineSeparator()).append(legend());
    return svg.toString();
  }

  private String legend() {
    var names = new ArrayList<String>();
    for (int i = 0; i < lines.size(); i++) {
      names.add(
          "<span style=\"color:%s\">&#9632;</span> %s"
              .formatted(COLOURS[i % COLOURS.length], HtmlReport.escaped(lines.get(i).name())));
    }
    return "<p>%s</p>%n".formatted(String.join(" &nbsp; ", names));
  }

  private double most(int axis) {
    return Math.max(
        1e-9,
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(point -> point[axis])
            .max()
            .orElse(1));
  }

  private static String path(Line line, double mostX, double mostY) {
    var path = new StringBuilder();
    int step = Math.max(1, Math.ceilDiv(line.points().size(), MOST_POINTS));
    for (int i = 0; i < line.points().size(); i += step) {
      var point = line.points().get(i);
      path.append(path.isEmpty() ? 'M' : 'L')
          .append(coordinate(x(point[0] / mostX)))
          .append(',')
          .append(coordinate(y(point[1] / mostY)));
    }
    return path.toString();
  }

  private static double x(double share) {
    return LEFT + share * (WIDTH - LEFT - 10);
  }

  private static double y(double share) {
    return HEIGHT - share * (HEIGHT - TOP - 6);
  }

  private static String coordinate(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String short_(double value) {
    return String.format(Locale.ROOT, value >= 10 || value == 0 ? "%.0f" : "%.2g", value);
  }

  private static String line(String path, String colour, int width) {
    return "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>%n"
        .formatted(path, colour, width);
  }

  private static String text(double x, double y, String anchor, String words) {
    return "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
        .formatted(coordinate(x), coordinate(y), anchor, HtmlReport.escaped(words));
  }
}
