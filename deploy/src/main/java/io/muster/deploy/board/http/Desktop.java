package io.muster.deploy.board.http;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Shows pages to whoever sits at the machine, if somebody does. Immutable. */
public final class Desktop {

  private final Optional<String> opener;
  private final Programs programs;

  /** Starts programs. */
  public interface Programs {

    /**
     * Starts one and does not wait for its end.
     *
     * @throws IOException if there is no such program
     */
    void start(List<String> command) throws IOException;
  }

  /**
   * One of a machine.
   *
   * @param system its name, as Java has it
   * @param environment of the command
   */
  public Desktop(String system, Map<String, String> environment, Programs programs) {
    this.opener = opener(system.toLowerCase(Locale.ROOT), environment::containsKey);
    this.programs = programs;
  }

  /** The one of this machine. */
  public static Desktop here() {
    return new Desktop(System.getProperty("os.name"), System.getenv(), Desktop::start);
  }

  /** Whoever has come by SSH sits at another machine. */
  private static Optional<String> opener(String system, Predicate<String> isSet) {
    if (isSet.test("SSH_CONNECTION")) {
      return Optional.empty();
    }
    if (system.startsWith("mac")) {
      return Optional.of("open");
    }
    return isSet.test("DISPLAY") || isSet.test("WAYLAND_DISPLAY")
        ? Optional.of("xdg-open")
        : Optional.empty();
  }

  /** Shows the page in the browser; false if there is no desktop, or it has no such program. */
  public boolean show(String address) {
    if (opener.isEmpty()) {
      return false;
    }
    try {
      programs.start(List.of(opener.get(), address));
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private static void start(List<String> command) throws IOException {
    new ProcessBuilder(command)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD)
        .start();
  }
}
