package io.muster.demo;

import io.muster.sandbox.Command;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The real kubectl, as a user would type it: prints each command and what it answered. Confined to
 * the thread that plays.
 */
final class Kubectl {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path program;
  private final Path kubeconfig;

  Kubectl(Path program, Path kubeconfig) {
    this.program = program;
    this.kubeconfig = kubeconfig;
  }

  /** Runs it and returns what it printed, without the last line end. */
  String show(String... arguments) {
    return show("", text -> text, arguments);
  }

  /** The events at the end of a description. */
  String showEvents(String... arguments) {
    return show(
        " | sed -n '/^Events:/,$p'",
        text -> text.substring(Math.max(0, text.indexOf("\nEvents:") + 1)),
        arguments);
  }

  private String show(String filter, UnaryOperator<String> cut, String[] typed) {
    System.out.println();
    System.out.println(
        "$ kubectl "
            + Arrays.stream(typed).map(Kubectl::quoted).collect(Collectors.joining(" "))
            + filter);
    var command = new ArrayList<>(List.of(program.toString(), "--kubeconfig=" + kubeconfig));
    command.addAll(List.of(typed));
    var result = Command.run(LIMIT, command);
    var output = cut.apply(result.output()).stripTrailing();
    System.out.println(output);
    if (result.exitCode() != 0) {
      throw new UnmetException("that kubectl succeeds", "exit code " + result.exitCode());
    }
    return output;
  }

  private static String quoted(String argument) {
    return argument.matches("[\\w./:=,-]+") ? argument : "'" + argument + "'";
  }
}
