package io.muster.sandbox;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The program of Prometheus that reads rules and plays series to them. Built from
 * deploy/sandbox/promtool/go.mod into the cache when it is first needed, always in that version.
 * Safe for concurrent use.
 */
public final class Promtool {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Path program;

  private enum Built implements GoProgram {
    PROMTOOL;

    @Override
    public String file() {
      return "promtool";
    }

    @Override
    public String goPackage() {
      return "github.com/prometheus/prometheus/cmd/promtool";
    }

    @Override
    public String builtAs() {
      return "promtool";
    }
  }

  private Promtool(Path program) {
    this.program = program;
  }

  /** The first time this takes minutes. */
  public static synchronized Promtool findOrBuild(Layout layout) {
    var build = new GoBuild(GoModule.promtool(layout), layout.cache());
    return new Promtool(build.build(Set.of(Built.PROMTOOL)).get(Built.PROMTOOL));
  }

  /** Runs it to its end, whatever that is. */
  public Command.Result run(String... arguments) {
    var command = new ArrayList<String>();
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return Command.run(LIMIT, command);
  }
}
