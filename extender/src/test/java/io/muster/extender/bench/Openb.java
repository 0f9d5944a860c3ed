package io.muster.extender.bench;

import io.muster.extender.core.plan.packing.SharedCluster.Ask;
import io.muster.extender.core.plan.packing.SharedCluster.Machine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** The openb trace of 2023, as it lies in the test resources with its origin and licence. */
public final class Openb {

  private static final String FOLDER = "/openb-2023/";
  private static final long MIB = 1L << 20;

  /** One pod of a list. */
  public record NamedAsk(String name, Ask ask) {}

  private Openb() {}

  /** The 1,213 nodes with devices. */
  public static List<Machine> nodes() {
    return rows("openb_node_list_gpu_node").stream()
        .map(row ->
            new Machine(
                row[0],
                Long.parseLong(row[1]),
                Long.parseLong(row[2]) * MIB,
                Integer.parseInt(row[3]),
                row.length > 4 ? row[4] : ""))
        .toList();
  }

  /**
   * The pods of a workload, such as {@code default} or {@code cpu250}, in the order of the file.
   */
  public static List<NamedAsk> pods(String workload) {
    return rows("openb_pod_list_" + workload).stream()
        .map(row -> {
          int devices = Integer.parseInt(row[3]);
          var models =
              row.length > 5 && !row[5].isEmpty()
                  ? Set.copyOf(Arrays.asList(row[5].split("\\|")))
                  : Set.<String>of();
          return new NamedAsk(
              row[0],
              new Ask(
                  Long.parseLong(row[1]),
                  Long.parseLong(row[2]) * MIB,
                  devices,
                  devices == 0 ? 0 : Integer.parseInt(row[4]),
                  models));
        })
        .toList();
  }

  /**
   * Pods in random order that ask for so many percent of the devices in all: the workload is
   * shuffled, then random pods leave it, or random copies join it, until the next one would pass
   * that mark.
   */
  public static List<Ask> inflated(
      List<NamedAsk> pods, long capacityMilli, int percent, long seed) {
    var random = new Random(seed);
    var byName = new ArrayList<>(pods);
    byName.sort(Comparator.comparing(NamedAsk::name));
    var asks = new ArrayList<>(byName.stream().map(NamedAsk::ask).toList());
    Collections.shuffle(asks, random);
    var workload = List.copyOf(asks);
    long target = capacityMilli / 100 * percent;
    long asked = asks.stream().mapToLong(Openb::milli).sum();
    while (asked > target) {
      asked -= milli(asks.remove(random.nextInt(asks.size())));
    }
    while (true) {
      var copy = workload.get(random.nextInt(workload.size()));
      if (asked + milli(copy) > target) {
        return asks;
      }
      asks.add(copy);
      asked += milli(copy);
    }
  }

  static long milli(Ask ask) {
    return (long) ask.devices() * ask.share();
  }

  private static List<String[]> rows(String file) {
    var name = FOLDER + file + ".csv.gz";
    try (var reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(
                    Objects.requireNonNull(Openb.class.getResourceAsStream(name), name)),
                StandardCharsets.UTF_8))) {
      return reader.lines().skip(1).map(line -> line.split(",")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
