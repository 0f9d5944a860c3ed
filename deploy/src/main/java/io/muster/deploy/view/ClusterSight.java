package io.muster.deploy.view;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import io.muster.deploy.config.Config;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.extender.kube.snapshot.ClusterReading;
import io.muster.extender.kube.snapshot.SnapshotFile;
import io.muster.extender.kube.watch.QueueFeed;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Gets at a view: of the cluster now, or the one in a file. Stateless. */
public final class ClusterSight {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private ClusterSight() {}

  /** There is no view to be had; the message says why, and the way out. */
  public static final class NoSightException extends ConsoleCommand.NoAnswerException {

    @Serial private static final long serialVersionUID = 1;

    NoSightException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The cluster as it is now, with the rights of whoever asks. */
  static ClusterView ofCluster(Config settings) throws InterruptedException, NoSightException {
    var translation = new PodConverter(new DialectDetector(), settings.schedulers());
    var taken = InstantSource.system().instant();
    try (var client = ClusterAccess.forReading(settings)) {
      var events = ClusterReading.of(client, settings.place(), translation, PATIENCE);
      return ClusterView.of(taken, settings.rules(), settings.deadlines(), events);
    } catch (KubernetesClientException e) {
      var wayOut =
          ApiRefusal.isNotServed(e)
              ? ""
              : "; all namespaces, nodes, pods and gangs have to be read, or let somebody who may"
                  + " run muster snapshot, and give its file with --snapshot";
      throw new NoSightException(ApiRefusal.sentence(e) + wayOut, e);
    }
  }

  /**
   * That the ConfigMap of queues has mistakes: a view has none then, and a Muster that runs has
   * those that were in force before.
   */
  static Optional<String> mistakenQueues(KubernetesClient client, Config settings) {
    var namespace = settings.place().ownNamespace();
    var document = ClusterReading.document(client, namespace, QueueFeed.NAME, QueueFeed.KEY);
    if (document.isEmpty()) {
      return Optional.empty();
    }
    try {
      QueuesReading.read(document.get());
      return Optional.empty();
    } catch (InvalidQueuesException e) {
      return Optional.of(
          "ConfigMap %s has mistakes, and no queue of it is seen here, though a running Muster has those of before: %s"
              .formatted(QueueFeed.NAME, e.getMessage()));
    }
  }

  /** The same, with the rights of whoever asks. */
  static Optional<String> mistakenQueues(Config settings) {
    try (var client = ClusterAccess.forReading(settings)) {
      return mistakenQueues(client, settings);
    }
  }

  /** The one that muster snapshot wrote. */
  public static ClusterView ofFile(Path file) throws NoSightException {
    try (var in = Files.newInputStream(file)) {
      return SnapshotFile.read(in);
    } catch (SnapshotFile.UnreadableException e) {
      throw new NoSightException(file + " " + e.getMessage(), e);
    } catch (IOException e) {
      throw new NoSightException(file + " cannot be read: " + e.getMessage(), e);
    }
  }
}
