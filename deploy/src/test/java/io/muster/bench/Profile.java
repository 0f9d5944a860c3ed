package io.muster.bench;

import io.muster.faults.TlsServer;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;

/**
 * Where the time of a round goes: what the timers of kube-scheduler, the API server's webhook and
 * Muster gained since this was made. Confined to one thread.
 */
final class Profile {

  private final Arena arena;
  private final Map<String, Double> before;

  Profile(Arena arena) {
    this.arena = arena;
    this.before = read();
  }

  /** A line for each timer that gained something. */
  void print() {
    var after = read();
    after.forEach((key, value) -> {
      if (key.contains("_count")) {
        double count = value - before.getOrDefault(key, 0.0);
        var sumKey = key.replace("_count", "_sum");
        double sum = after.getOrDefault(sumKey, 0.0) - before.getOrDefault(sumKey, 0.0);
        if (count > 0 && sum > 0.02) {
          System.out.printf(
              "      %-110s %6.0f x %8.3f ms = %6.2f s%n",
              key.replace("_seconds_count", ""), count, sum / count * 1000, sum);
        }
      }
    });
  }

  private Map<String, Double> read() {
    var timers = new TreeMap<String, Double>();
    var scheduler = arena.sandbox().scheduler();
    var context = TlsServer.at(scheduler.metricsUrl(), scheduler.certificate()).context();
    take(
        timers,
        text(scheduler.metricsUrl(), context),
        "scheduler_(framework_extension_point_duration|scheduling_algorithm_duration"
            + "|scheduling_attempt_duration|plugin_execution_duration|pod_scheduling_sli_duration)_seconds_(sum|count).*");
    arena
        .muster()
        .ifPresent(muster ->
            take(
                timers,
                text(muster.healthUrl() + "/metrics", null),
                "muster_extender_requests_seconds_(sum|count).*"));
    take(
        timers,
        arena.api().text("/metrics"),
        "apiserver_admission_webhook_admission_duration_seconds_(sum|count).*");
    return timers;
  }

  private static void take(Map<String, Double> timers, String metrics, String wanted) {
    metrics
        .lines()
        .filter(line -> line.matches(wanted))
        .forEach(line -> {
          int blank = line.lastIndexOf(' ');
          timers.put(line.substring(0, blank), Double.parseDouble(line.substring(blank + 1)));
        });
  }

  private static String text(String url, SSLContext context) {
    var builder = HttpClient.newBuilder();
    if (context != null) {
      builder.sslContext(context);
    }
    try (var http = builder.build()) {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(10)).build();
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new SandboxException(url + " cannot be read.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException(url + " cannot be read.", e);
    }
  }
}
