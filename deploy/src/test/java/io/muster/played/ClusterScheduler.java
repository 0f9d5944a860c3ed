package io.muster.played;

import io.muster.e2e.MusterCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** The cluster's own kube-scheduler, as its administrator tells it to ask Muster. Immutable. */
record ClusterScheduler(PlayedCluster cluster) {

  /** What the notes of the chart say: copy three files, print the configuration, restart. */
  void askMuster() throws IOException, InterruptedException {
    askMuster(copyFiles());
  }

  /** Copies the three files of the Secret to where kube-scheduler reads them. */
  Path copyFiles() throws IOException {
    var folder = Files.createDirectories(cluster.sandbox().state().file("from-secret"));
    var secret =
        cluster
            .client()
            .secrets()
            .inNamespace(Installation.NAMESPACE)
            .withName("muster-scheduler-client")
            .get();
    for (String file : List.of("ca.crt", "tls.crt", "tls.key")) {
      Files.write(folder.resolve(file), Base64.getDecoder().decode(secret.getData().get(file)));
    }
    return folder;
  }

  /** The same where the files are in that folder already. */
  void askMuster(Path folder) throws IOException, InterruptedException {
    var sandbox = cluster.sandbox();
    var existing =
        Files.writeString(
            sandbox.state().file("existing.yaml"),
            """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            clientConnection: {kubeconfig: %s}
            leaderElection: {leaderElect: false}
            """
                .formatted(sandbox.state().kubeconfig()));
    // Without its warnings, which a shell leaves out of the file as well.
    var printed =
        new MusterCommand(sandbox)
            .said("scheduler-config", "--existing=" + existing, "--folder=" + folder)
            .replaceAll("(?m)^muster: .*\n", "");
    var merged = Files.writeString(sandbox.state().file("merged.yaml"), printed);
    sandbox.scheduler().kill(List.of("--config=" + merged));
    sandbox.scheduler().restart();
  }

  /** As it was configured last. */
  void restart() {
    cluster.sandbox().scheduler().restart();
  }

  /** As before the installation. */
  void askNobody() {
    cluster.sandbox().scheduler().kill(List.of());
    cluster.sandbox().scheduler().start(Optional.empty());
  }
}
