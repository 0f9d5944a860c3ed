package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.KubeconfigFile;
import io.muster.deploy.config.Setting;
import io.muster.extender.kube.watch.LeanObjects;
import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import okhttp3.Dispatcher;

/** The way to the apiserver that the settings name. */
public final class ClusterAccess {

  private static final int WATCH_AGAIN_MILLIS = 100;

  /**
   * A connection that answers no ping for so long is left for another. All requests over HTTP/2
   * share one, and nobody closes that of a machine that has lost its power. An apiserver that is
   * slow answers pings.
   */
  static final Duration SILENT_WITHIN = Duration.ofSeconds(10);

  private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(5);
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(20);
  private static final int TRIED_AGAIN = 2;

  /** What came through pipes, by their paths: a command asks for the way more than once. */
  private static final Map<String, String> PIPED = new ConcurrentHashMap<>();

  private ClusterAccess() {}

  /** A client that reads of pods what the scheduling needs; whoever asks for it closes it. */
  public static KubernetesClient client(Config config) {
    return builder(config).withKubernetesSerialization(LeanObjects.serialization()).build();
  }

  /** A client that reads objects whole, so that they may be written back. */
  public static KubernetesClient wholeObjects(Config config) {
    return builder(config).build();
  }

  /** The same for one that writes only as long as those writes may be sent. */
  static KubernetesClient wholeObjects(Config config, LeaderWrites writes) {
    return builder(config)
        .withHttpClientBuilderConsumer(http -> {
          intercept(http);
          http.addOrReplaceInterceptor(LeaderWrites.NAME, writes);
        })
        .build();
  }

  /** A client for a command that somebody waits for: objects whole, and soon an end of trying. */
  public static KubernetesClient forCommand(Config config) {
    return impatient(config).build();
  }

  /** The same for one that reads of pods what the scheduling needs, and writes nothing. */
  public static KubernetesClient forReading(Config config) {
    return impatient(config).withKubernetesSerialization(LeanObjects.serialization()).build();
  }

  /** The namespace that the kubeconfig's context names. */
  public static String defaultNamespace(Config config) {
    return Optional.ofNullable(access(config).getNamespace()).orElse("default");
  }

  /** What people call the cluster: the kubeconfig's context, else its address. */
  public static String contextName(Config config) {
    var access = access(config);
    return Optional.ofNullable(access.getCurrentContext())
        .map(context -> context.getName())
        .orElse(access.getMasterUrl());
  }

  private static KubernetesClientBuilder impatient(Config config) {
    var access = access(config);
    access.setConnectionTimeout((int) CONNECTED_WITHIN.toMillis());
    access.setRequestTimeout((int) ANSWERED_WITHIN.toMillis());
    access.setRequestRetryBackoffLimit(TRIED_AGAIN);
    return builder(access);
  }

  private static KubernetesClientBuilder builder(Config config) {
    return builder(access(config));
  }

  private static KubernetesClientBuilder builder(io.fabric8.kubernetes.client.Config access) {
    return new KubernetesClientBuilder()
        .withConfig(access)
        .withHttpClientFactory(new Clients())
        .withHttpClientBuilderConsumer(ClusterAccess::intercept);
  }

  private static void intercept(HttpClient.Builder http) {
    http.addOrReplaceInterceptor(EscapedWatches.NAME, new EscapedWatches());
  }

  private static io.fabric8.kubernetes.client.Config access(Config config) {
    var access =
        config
            .optional(Setting.KUBECONFIG)
            .map(ClusterAccess::kubeconfig)
            .orElseGet(ClusterAccess::found);
    throughProxy(access, System.getenv());
    // A stream over HTTP/2 takes bursts of events that a WebSocket, read message by message, falls
    // behind on; the apiserver ends a watch that does.
    access.setOnlyHttpWatches(true);
    access.setWatchReconnectInterval(WATCH_AGAIN_MILLIS);
    access.setWebsocketPingInterval(SILENT_WITHIN.toMillis());
    return access;
  }

  /**
   * Through the proxy of the kubeconfig or, without one, of the environment, as kubectl goes. The
   * client takes a kubeconfig's proxy for calls of the protocol that the proxy itself speaks, and
   * for a kubeconfig that is named it looks for none in the environment.
   */
  static void throughProxy(
      io.fabric8.kubernetes.client.Config access, Map<String, String> environment) {
    var ofCluster =
        Optional.ofNullable(access.getHttpProxy())
            .filter(proxy -> !variable("HTTP_PROXY", environment).equals(Optional.of(proxy)));
    if (ofCluster.isPresent()) {
      access.setHttpsProxy(ofCluster.get());
      access.setNoProxy(null);
    } else if (access.getHttpsProxy() == null && !isHere(access.getMasterUrl())) {
      variable("HTTPS_PROXY", environment)
          .ifPresent(proxy -> {
            access.setHttpsProxy(proxy.contains("://") ? proxy : "http://" + proxy);
            variable("NO_PROXY", environment)
                .ifPresent(hosts -> access.setNoProxy(hosts.split("[, ]+")));
          });
    }
  }

  private static Optional<String> variable(String name, Map<String, String> environment) {
    return Stream.of(name, name.toLowerCase(Locale.ROOT))
        .flatMap(either -> Stream.ofNullable(environment.get(either)))
        .filter(value -> !value.isBlank())
        .findFirst();
  }

  /** Whether it is on this machine, which no proxy of the environment is for. */
  private static boolean isHere(String url) {
    var host = Objects.requireNonNullElse(URI.create(url).getHost(), "");
    return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
  }

  private static io.fabric8.kubernetes.client.Config kubeconfig(String path) {
    var file = new KubeconfigFile(new File(path));
    return file.isPipe()
        ? io.fabric8.kubernetes.client.Config.fromKubeconfig(
            PIPED.computeIfAbsent(path, _ -> file.text()))
        : io.fabric8.kubernetes.client.Config.fromKubeconfig(file.checked());
  }

  /** As kubectl finds it; one of several files may be without contexts. */
  private static io.fabric8.kubernetes.client.Config found() {
    var one =
        Optional.ofNullable(System.getenv("KUBECONFIG"))
            .filter(path -> !path.isBlank() && !path.contains(File.pathSeparator))
            .map(path -> new KubeconfigFile(new File(path)));
    if (one.filter(KubeconfigFile::isPipe).isPresent()) {
      return kubeconfig(one.get().file().getPath());
    }
    one.ifPresent(KubeconfigFile::checked);
    return io.fabric8.kubernetes.client.Config.autoConfigure(null);
  }

  /** As many requests at once as are sent: each, and each watch, has a virtual thread. */
  private static final class Clients extends OkHttpClientFactory {

    @Override
    protected Dispatcher initDispatcher() {
      var threads = Thread.ofVirtual().name("http-", 0).factory();
      var dispatcher = new Dispatcher(Executors.newThreadPerTaskExecutor(threads));
      dispatcher.setMaxRequests(Integer.MAX_VALUE);
      dispatcher.setMaxRequestsPerHost(Integer.MAX_VALUE);
      return dispatcher;
    }
  }
}
