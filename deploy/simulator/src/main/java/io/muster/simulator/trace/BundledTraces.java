package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Traces that Muster brings along; where they come from stands beside them. Stateless. */
public final class BundledTraces {

  /** How many of Philly there are. */
  public static final int PHILLY = 4;

  private static final int NODES = 8;
  private static final int GPUS_A_NODE = 8;

  private BundledTraces() {}

  /** One of the four cut out of Philly, 1 to 4, on the 64 GPUs of the published experiment. */
  public static Trace philly(int number) {
    var name = "trace%d.csv".formatted(number);
    try (var stream = BundledTraces.class.getResourceAsStream("/traces/philly-muri/" + name)) {
      if (stream == null) {
        throw new IllegalArgumentException(
            "there is no trace %d, only 1 to %d".formatted(number, PHILLY));
      }
      var text = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
      return MuriLoader.trace(
          "philly-" + number,
          Rows.ofCsv(name, text, MuriLoader.REQUIRED),
          Machine.alike(NODES, GPUS_A_NODE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
