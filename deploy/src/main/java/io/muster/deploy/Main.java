package io.muster.deploy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import io.muster.deploy.config.InvalidConfigException;
import io.muster.deploy.serve.ServeCommand;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.ExitCode;

/**
 * The program. {@code serve} is started without picocli: its classes are compiled for a JVM too old
 * for an AOT cache, and to load them from their jar took a tenth of a second of each start.
 */
final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    var line = List.of(arguments);
    var plain = ServeCommand.plain(line);
    System.exit(plain.isPresent() ? serve(plain.get()) : Commands.execute(line));
  }

  private static int serve(ServeCommand command) {
    try {
      return command.call();
    } catch (InterruptedException | RuntimeException fault) {
      return failed(fault, System.err::println);
    }
  }

  /** The exit code, once the user has been told. */
  static int failed(Exception fault, Consumer<String> err) {
    if (fault instanceof KubernetesClientException refused) {
      err.accept("muster: " + ApiRefusal.sentence(refused));
      return ExitCode.USAGE;
    }
    if (fault.getCause() instanceof KubernetesClientException cause) {
      var why = ApiRefusal.sentence(cause);
      var told = String.valueOf(fault.getMessage());
      err.accept("muster: " + (told.contains(why) ? told : told + ": " + why));
      return ExitCode.USAGE;
    }
    err.accept("muster: " + fault.getMessage());
    return fault instanceof InvalidConfigException ? ExitCode.USAGE : ExitCode.SOFTWARE;
  }
}
