package io.muster.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A page whose every code block is followed:
 *
 * <ul>
 *   <li>{@code sh} is run, unless the source says before it {@code <!-- played as NAME, since
 *       REASON -->};
 *   <li>{@code yaml} is saved, by the words before it that end with {@code save as `FILE`:};
 *   <li>{@code text} is what the {@code sh} right before it prints.
 * </ul>
 *
 * <p>Immutable.
 *
 * @param steps in the order of the page
 */
public record WalkPage(String name, List<Step> steps) {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```([^\\n]*)\\n(.*?)^ *```[ ]*$");
  private static final Pattern PLAYED =
      Pattern.compile("(?s).*<!-- played as ([a-z-]+), since (\\S.*?) -->\\s*$");
  private static final Pattern SAVED =
      Pattern.compile("(?s).*\\b[Ss]ave\\s+(?:this\\s+)?as\\s+`([\\w./-]+)`:\\s*$");

  public WalkPage {
    steps = List.copyOf(steps);
  }

  public static WalkPage read(Path page) throws IOException {
    return of(page.getFileName().toString(), Files.readString(page));
  }

  /**
   * From its text.
   *
   * @throws IllegalArgumentException if a block is none of the above, with its line
   */
  static WalkPage of(String name, String text) {
    var steps = new ArrayList<Step>();
    var block = BLOCK.matcher(text);
    int end = 0;
    while (block.find()) {
      var before = text.substring(end, block.start());
      int line = 1 + (int) text.substring(0, block.start(3)).chars().filter(c -> c == '\n').count();
      var content = block.group(3).replaceAll("(?m)^" + block.group(1), "");
      switch (block.group(2)) {
        case "sh" -> steps.add(command(line, before, content));
        case "yaml" -> {
          var saved = SAVED.matcher(before);
          if (!saved.matches()) {
            throw unknown(name, line, "yaml without the words: save as `FILE`:");
          }
          steps.add(new Step.Saved(line, saved.group(1), content));
        }
        case "text" -> {
          if (steps.isEmpty()
              || !(steps.removeLast() instanceof Step.Shell shell)
              || shell.expected().isPresent()) {
            throw unknown(name, line, "text that no sh before it could have printed");
          }
          steps.add(new Step.Shell(shell.line(), shell.script(), Optional.of(content)));
        }
        default -> throw unknown(name, line, "neither sh nor yaml nor text");
      }
      end = block.end();
    }
    if (Pattern.compile("(?m)^ *```").matcher(text.substring(end)).find()) {
      throw unknown(name, (int) text.lines().count(), "a block without an end");
    }
    return new WalkPage(name, steps);
  }

  private static Step command(int line, String before, String content) {
    var played = PLAYED.matcher(before);
    return played.matches()
        ? new Step.Played(line, played.group(1), played.group(2).replaceAll("\\s+", " "), content)
        : new Step.Shell(line, content, Optional.empty());
  }

  private static IllegalArgumentException unknown(String page, int line, String what) {
    return new IllegalArgumentException("%s:%d: %s".formatted(page, line, what));
  }
}
