package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.certs.metrics.CertificateMeters;
import io.muster.controller.metrics.DiMeters;
import io.muster.controller.metrics.JobMeters;
import io.muster.controller.metrics.SizeMeters;
import io.muster.controller.port.SizeMeter;
import io.muster.deploy.serve.lease.LeaseMeters;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.query.QueueStanding;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.webhook.metrics.WebhookMeters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What operators read about metrics is what Muster prints: the table is made from the meters, but
 * for the unit and the alert, which are written by hand.
 */
final class MetricsDocumentTest {

  private static final Path DOCUMENT = Path.of("docs", "metrics.md");
  private static final Path ALERTS = Path.of("chart", "muster", "files", "alerts.yml");
  private static final Pattern PERCENTILE =
      Pattern.compile("histogram_quantile.*[(](muster_\\w+_bucket).* > ([0-9.]+)");
  private static final String HEADER =
      "| name | type | unit | labels | meaning | alert |\n|---|---|---|---|---|---|\n";
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
  private static final String UNWRITTEN = "?";

  @Test
  void documentsEveryMeter() throws IOException {
    var document = Files.readString(DOCUMENT);
    var end = document.indexOf(HEADER) + HEADER.length();
    var expected = document.substring(0, end) + table(document.substring(end));
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(DOCUMENT).content().isEqualTo(expected);
    assertThat(expected.substring(end)).doesNotContain("| " + UNWRITTEN + " |", "|  |");
  }

  /** Who alerts on a series that is not there is told nothing. */
  @Test
  void namesTheSeriesThatAreNotThereFromTheStart() throws IOException {
    var document = Files.readString(DOCUMENT);
    var said = document.substring(document.indexOf("- Every series exists from the start."));
    var later = names(scrape(true));
    later.removeAll(names(scrape(false)));
    assertThat(
            Pattern.compile("`(muster_\\w+)`")
                .matcher(said.substring(0, said.indexOf("\n- ")))
                .results()
                .map(name -> name.group(1)))
        .containsExactlyInAnyOrderElementsOf(later);
  }

  /** Of what lies within a bucket Prometheus takes any part for longer than the limit. */
  @Test
  void aBucketEndsWhereAnAlertOnItsPercentileBegins() throws IOException {
    var scrape = scrape(false).lines().toList();
    var alerts = PERCENTILE.matcher(Files.readString(ALERTS)).results().toList();
    assertThat(alerts).hasSizeGreaterThan(2);
    for (var alert : alerts) {
      var edge = "le=\"%s\"".formatted(Double.parseDouble(alert.group(2)));
      assertThat(scrape)
          .as("%s has a bucket up to %s", alert.group(1), edge)
          .anyMatch(line -> line.startsWith(alert.group(1)) && line.contains(edge));
    }
  }

  private static Set<String> names(String scrape) {
    return scrape
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceFirst("[{ ].*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String table(String written) {
    var lines = scrape(true).lines().toList();
    var types = new TreeMap<String, String>();
    var meanings = new TreeMap<String, String>();
    for (var line : lines) {
      var words = line.split(" ", 4);
      if (line.startsWith("# TYPE ")) {
        types.put(words[2], words[3]);
      } else if (line.startsWith("# HELP ")) {
        meanings.put(words[2], words[3]);
      }
    }
    types
        .keySet()
        .removeIf(name ->
            name.endsWith("_max") && types.containsKey(name.substring(0, name.length() - 4)));
    var byHand = byHand(written);
    return types.entrySet().stream()
        .map(entry -> {
          var name = entry.getKey();
          var hand = byHand.getOrDefault(name, List.of(UNWRITTEN, UNWRITTEN));
          return "| `%s` | %s | %s | %s | %s | %s |\n"
              .formatted(
                  name,
                  entry.getValue(),
                  hand.getFirst(),
                  labels(name, lines),
                  meanings.get(name),
                  hand.getLast());
        })
        .collect(Collectors.joining());
  }

  /** What is printed, with jobs and queues or before there are any. */
  private static String scrape(boolean inUse) {
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    var meters = new ExtenderMeters(registry);
    new CertificateMeters(registry, InstantSource.system());
    new JobMeters(registry);
    var sizes = new SizeMeters(registry);
    new DiMeters(registry);
    LeaseMeters.watch(registry, () -> Duration.ZERO);
    meters.watchDesk(() -> 0, () -> 0);
    meters.watchGangs(_ -> 0);
    meters.gangs().watch(() -> Usage.NONE);
    if (inUse) {
      sizes.sizes(List.of(new SizeMeter.Sizes("any", "any", "any", 4, 4, 2, 10)));
      meters.gangs().used(withQueue(), Duration.ZERO);
    }
    new WebhookMeters(registry);
    return registry.scrape();
  }

  private static Usage withQueue() {
    var none = Usage.NONE;
    return new Usage(
        none.waiting(),
        none.oldestWaiting(),
        none.oldestPlan(),
        none.reserved(),
        none.delayed(),
        List.of(new QueueStanding("any", Optional.empty(), Optional.empty(), 0, 0, 0, 0, 0)),
        none.asked(),
        none.offered(),
        0,
        0);
  }

  private static Map<String, List<String>> byHand(String written) {
    return written
        .lines()
        .map(line -> line.split(" \\| ", -1))
        .collect(
            Collectors.toMap(
                cells -> cells[0].replaceAll("[| `]", ""),
                cells -> List.of(cells[2], cells[5].replaceFirst(" \\|$", ""))));
  }

  private static String labels(String name, List<String> lines) {
    var values = new TreeMap<String, TreeSet<String>>();
    for (var line : lines) {
      if (line.matches(name + "(_count|_sum)?\\{.*")) {
        var labels = LABEL.matcher(line);
        while (labels.find()) {
          values.computeIfAbsent(labels.group(1), _ -> new TreeSet<>()).add(labels.group(2));
        }
      }
    }
    return values.isEmpty()
        ? "-"
        : values.entrySet().stream()
            .map(label -> "`%s`: %s".formatted(label.getKey(), String.join(", ", label.getValue())))
            .collect(Collectors.joining("; "));
  }
}
