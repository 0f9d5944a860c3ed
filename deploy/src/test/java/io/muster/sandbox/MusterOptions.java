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
 * @param configuration keys added to its configuration file, replacing those of the same name
 */
public record MusterOptions(
    String name,
    Optional<String> server,
    List<String> jvmArguments,
    Map<String, Object> configuration) {

  public static final MusterOptions DEFAULT =
      new MusterOptions("muster", Optional.empty(), List.of(), Map.of());

  public MusterOptions {
    jvmArguments = List.copyOf(jvmArguments);
    configuration = Map.copyOf(configuration);
  }

  public MusterOptions named(String newName) {
    return new MusterOptions(newName, server, jvmArguments, configuration);
  }

  public MusterOptions seeing(String serverUrl) {
    return new MusterOptions(name, Optional.of(serverUrl), jvmArguments, configuration);
  }

  public MusterOptions configured(Map<String, Object> keys) {
    return new MusterOptions(name, server, jvmArguments, keys);
  }

  public MusterOptions jvm(String... arguments) {
    return new MusterOptions(name, server, List.of(arguments), configuration);
  }
}
