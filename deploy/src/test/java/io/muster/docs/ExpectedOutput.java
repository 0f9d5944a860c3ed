package io.muster.docs;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a page says that a command prints. {@code ...} within a line stands for any text, a line of
 * {@code ...} alone for any lines, an age such as {@code 7s} for any age, and blanks for any
 * blanks. Immutable.
 */
public final class ExpectedOutput {

  private static final Pattern VARIES =
      Pattern.compile("(\\.\\.\\.)|(\\s+)|(?<![\\w.])(\\d+[smhd](?:\\d+[smh])?)(?![\\w.])");

  private final String text;
  private final Pattern pattern;

  public ExpectedOutput(String text) {
    this.text = text;
    this.pattern =
        Pattern.compile(
            text.strip()
                .lines()
                .map(line ->
                    line.strip().equals("...") ? "(?:.*\\n)*" : quoted(line.strip()) + "[ \\t]*\\n")
                .collect(Collectors.joining()));
  }

  private static String quoted(String line) {
    var regex = new StringBuilder();
    var varies = VARIES.matcher(line);
    int end = 0;
    while (varies.find()) {
      regex.append(Pattern.quote(line.substring(end, varies.start())));
      if (varies.group(1) != null) {
        regex.append(".*");
      } else if (varies.group(2) != null) {
        regex.append("[ \\t]+");
      } else {
        regex.append("\\d+[smhd](?:\\d+[smh])?");
      }
      end = varies.end();
    }
    return regex.append(Pattern.quote(line.substring(end))).toString();
  }

  /** A sentence that holds both, if this is not what was printed. */
  public Optional<String> mismatch(String printed) {
    return pattern.matcher(printed.strip() + "\n").matches()
        ? Optional.empty()
        : Optional.of("expected:%n%s%nprinted:%n%s".formatted(text, printed));
  }
}
