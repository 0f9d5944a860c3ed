package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the dashboards show of a Muster at which gangs waited and ran. */
@ExtendWith(SandboxExtension.class)
final class DashboardsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Series that exist only under a condition that is not met here. */
  private static final Map<String, String> ABSENT =
      Map.of(
          "muster_elastic_workers", "has series of elastic jobs only, and none runs",
          "muster_queue_devices", "has series of queues only, and none is configured",
          "muster_queue_gangs_waiting", "the same");

  /** Panels that show zeros here, with the reason. */
  private static final Map<String, String> ZERO =
      Map.ofEntries(
          Map.entry("fleet: Reserved", "gangs that find room are bound within milliseconds"),
          Map.entry("fleet: Reserved devices", "the same"),
          Map.entry("waiting: Broken", "no burst of Bindings is interrupted"),
          Map.entry("waiting: Age of the oldest reservation", "as with what is reserved"),
          Map.entry("waiting: Members that missed their node", "kube-scheduler takes each plan"),
          Map.entry("waiting: Starts beside what was expected", "nobody states a run time"),
          Map.entry("control: Internal errors, 1 hour", "there is none"),
          Map.entry("control: Signs of a wrong setup, 1 hour", "the setup is right"),
          Map.entry("control: Failed writes, 1 hour", "the API server answers"),
          Map.entry("control: Events that wait", "they are processed at once"),
          Map.entry("control: Refused connections of kube-scheduler", "its files are right"),
          Map.entry("control: Jobs of other communities", "there is none"),
          Map.entry("control: What somebody else keeps changing", "nobody does"));

  /** The largest value of each series so far, by the text that names it. */
  private final Map<String, Double> seen = new HashMap<>();

  @Test
  void noPanelIsEmptyAfterGangsHaveWaitedAndRun(Sandbox sandbox, TestSpace space) {
    var muster = sandbox.muster().orElseThrow();
    space.nodes(2, NodeShape.GPU1);
    GangManifest.of(space, "wide", 2).gpus(2).create();
    GangManifest.of(space, "short", 1).min(2).create();
    awaitPositive(muster, "muster_stranded_devices");
    awaitPositive(muster, "muster_waste_gang_seconds_total{cause=\"assembly\"}");
    awaitPositive(muster, "muster_waste_device_seconds_total{cause=\"assembly\"}");
    var runs = GangManifest.of(space, "runs", 2);
    runs.create();
    Await.until("the gang to run", SOON, () -> runs.running() == 2);
    awaitPositive(muster, "muster_gang_start_seconds_count{since=\"created\"}");
    awaitPositive(muster, "muster_bind_barrier_wait_seconds_count{outcome=\"opened\"}");
    awaitPositive(muster, "muster_gangs_waiting_oldest_seconds");

    var titles = new TreeSet<String>();
    for (var dashboard : Dashboard.all()) {
      for (var panel : dashboard.panels()) {
        var title = dashboard.name() + ": " + panel.title();
        titles.add(title);
        var most =
            panel.queries().stream()
                .flatMap(query -> Selector.in(query).stream())
                .flatMap(selector -> most(selector).stream())
                .max(Double::compare);
        if (most.isPresent() && !ZERO.containsKey(title)) {
          assertThat(most.get()).as(title).isPositive();
        }
      }
    }
    assertThat(titles).containsAll(ZERO.keySet());
  }

  /** The largest value of any series that the selector matches; empty where none may be there. */
  private Optional<Double> most(Selector selector) {
    var matched = seen.entrySet().stream().filter(one -> selector.matches(one.getKey())).toList();
    if (ABSENT.containsKey(selector.name())) {
      return Optional.empty();
    }
    assertThat(matched).as(selector.toString()).isNotEmpty();
    return matched.stream().map(Map.Entry::getValue).max(Double::compare);
  }

  private void awaitPositive(MusterProcess muster, String series) {
    Await.until(
        series + " to be above 0",
        SOON,
        () -> {
          muster.allMetrics().forEach((name, value) -> seen.merge(name, value, Math::max));
          return seen.getOrDefault(series, 0.0) > 0;
        });
  }
}
