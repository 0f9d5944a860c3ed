package io.muster.sandbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a Muster process is started. Immutable.
 *
 * @param name of the process, its log and its files; two at once need two names
 * @param server the API server's URL as Muster sees it, a proxy for instance; empty: the real one
 * @param jvmArguments put before {@code -jar}
 * @param launcher what is started in place of this JVM's java and the built jar, with all but the
 *     program's arguments; empty: those, with {@code jvmArguments}
 * @param configuration keys added to its configuration file, replacing those of the same name
 */
public record MusterOptions(
    String name,
    Optional<String> server,
    List<String> jvmArguments,
    List<String> launcher,
    Map<String, Object> configuration) {

  public static final MusterOptions DEFAULT =
      new MusterOptions("muster", Optional.empty(), List.of(), List.of(), Map.of());

  public MusterOptions {
    jvmArguments = List.copyOf(jvmArguments);
    launcher = List.copyOf(launcher);
    configuration = Map.copyOf(configuration);
  }

  public MusterOptions named(String newName) {
    return new MusterOptions(newName, server, jvmArguments, launcher, configuration);
  }

  public MusterOptions seeing(String serverUrl) {
    return new MusterOptions(name, Optional.of(serverUrl), jvmArguments, launcher, configuration);
  }

  public MusterOptions configured(Map<String, Object> keys) {
    return new MusterOptions(name, server, jvmArguments, launcher, keys);
  }

  public MusterOptions jvm(String... arguments) {
    return new MusterOptions(name, server, List.of(arguments), launcher, configuration);
  }

  public MusterOptions launchedBy(List<String> command) {
    return new MusterOptions(name, server, jvmArguments, command, configuration);
  }
}
