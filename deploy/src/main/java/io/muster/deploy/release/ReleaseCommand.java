package io.muster.deploy.release;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster release}: for the hour in which Muster itself is what is wrong. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    description = {
      "Takes Muster out of the cluster's way, or puts it back.",
      "Needs the rights of an administrator; Muster need not run."
    })
public final class ReleaseCommand implements Callable<Integer> {

  private static final Duration BETWEEN_PASSES = Duration.ofSeconds(1);

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private Which which;

  /** What is to be done; one of them must be said, so that nothing happens by a slip. */
  static final class Which {

    @Option(
        names = "--all",
        description =
            "withdraw the registration, open every gate, and have a running Muster pass everything"
                + " through")
    private boolean all;

    @Option(names = "--undo", description = "let Muster take up its duty again")
    private boolean undo;
  }

  @Option(names = "--kubeconfig", paramLabel = "FILE", description = "default: as kubectl finds it")
  private Optional<File> kubeconfig = Optional.empty();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "muster-system",
      description = "where Muster runs; default: ${DEFAULT-VALUE}")
  private String namespace;

  @Override
  public Integer call() throws InterruptedException {
    var out = spec.commandLine().getOut();
    try (var client = client()) {
      var release = new Release(client, namespace, out::println);
      if (which.all) {
        release.all(() -> Thread.sleep(BETWEEN_PASSES));
      }
      if (which.undo) {
        release.undo();
      }
    }
    out.flush();
    return 0;
  }

  private KubernetesClient client() {
    Function<File, Config> read = Config::fromKubeconfig;
    var access = kubeconfig.map(read).orElseGet(() -> Config.autoConfigure(null));
    return new KubernetesClientBuilder().withConfig(access).build();
  }
}
