package io.muster.deploy.board.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Users of this machine whose programs connect to the loopback address, as far as Linux tells.
 * Immutable.
 *
 * @param tables the folder with {@code tcp} and {@code tcp6}
 * @param own whose programs are not those of another; empty where that is not known
 */
record Neighbors(Path tables, OptionalInt own) {

  private static final Path PROC = Path.of("/proc");
  private static final int ROOT = 0;

  /** Loopback addresses and the ports after them, as in the tables of the kernel. */
  private static final List<String> LOOPBACKS =
      List.of("0100007F:%04X", "0000000000000000FFFF00000100007F:%04X");

  private static final int FROM = 1;
  private static final int TO = 2;
  private static final int USER = 7;

  static Neighbors here() {
    return new Neighbors(PROC.resolve("net"), user());
  }

  private static OptionalInt user() {
    try {
      return Files.getAttribute(PROC.resolve("self"), "unix:uid") instanceof Integer user
          ? OptionalInt.of(user)
          : OptionalInt.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return OptionalInt.empty();
    }
  }

  /**
   * Whether a connection is known to be that of a program of another user. Root may do everything
   * anyway, and brings those who are let in by it, such as from the desktop around a virtual
   * machine.
   *
   * @param from the port that the connection comes from
   * @param to the port here
   */
  boolean isOfAnother(int from, int to) {
    return own.isPresent()
        && Stream.of("tcp", "tcp6")
            .flatMap(name -> rows(tables.resolve(name)))
            .filter(row -> isAt(row[FROM], from) && isAt(row[TO], to))
            .map(row -> Integer.parseInt(row[USER]))
            .anyMatch(user -> user != ROOT && user != own.getAsInt());
  }

  private static boolean isAt(String address, int port) {
    return LOOPBACKS.stream().anyMatch(loopback -> loopback.formatted(port).equals(address));
  }

  private static Stream<String[]> rows(Path table) {
    try {
      return Files.readAllLines(table).stream()
          .skip(1)
          .map(row -> row.strip().split("\\s+"))
          .filter(row -> row.length > USER);
    } catch (IOException _) {
      return Stream.empty();
    }
  }
}
