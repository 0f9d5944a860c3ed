package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.kube.LeanObjects;
import java.io.File;

/** The way to the apiserver that the settings name. */
public final class ClusterAccess {

  private static final int WATCH_AGAIN_MILLIS = 100;

  private ClusterAccess() {}

  /** A client that reads of pods what the scheduling needs; whoever asks for it closes it. */
  public static KubernetesClient client(Config config) {
    return builder(config).withKubernetesSerialization(LeanObjects.serialization()).build();
  }

  /** A client that reads objects whole, so that they may be written back. */
  public static KubernetesClient wholeObjects(Config config) {
    return builder(config).build();
  }

  private static KubernetesClientBuilder builder(Config config) {
    var access =
        config
            .optional(Setting.KUBECONFIG)
            .map(path -> io.fabric8.kubernetes.client.Config.fromKubeconfig(new File(path)))
            .orElseGet(() -> io.fabric8.kubernetes.client.Config.autoConfigure(null));
    // A stream over HTTP/2 takes bursts of events that a WebSocket, read message by message, falls
    // behind on; the apiserver ends a watch that does.
    access.setOnlyHttpWatches(true);
    access.setWatchReconnectInterval(WATCH_AGAIN_MILLIS);
    return new KubernetesClientBuilder().withConfig(access);
  }
}
