package io.muster.simulator.trace;

import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The traces that can be read, each by the name that the command takes. */
public enum TraceFormat {

  /** Muster's own: one row a part of a job, CSV or JSON. */
  REPLAY("replay"),
  /** Cut out of Philly for Muri (SIGCOMM 2022). */
  PHILLY_MURI("philly-muri"),
  /** Microsoft Philly, {@code cluster_job_log}. */
  PHILLY("philly"),
  /** Alibaba, gpu-v2023. */
  OPENB("openb"),
  /** Alibaba PAI, gpu-v2020: the table of tasks. */
  PAI("pai"),
  /** SenseTime Helios, {@code cluster_log.csv}. */
  HELIOS("helios"),
  /** InternLM Acme, {@code trace_seren.csv} and {@code trace_kalos.csv}. */
  ACME("acme");

  private final String label;

  TraceFormat(String label) {
    this.label = label;
  }

  /** As the command takes it. */
  public String label() {
    return label;
  }

  /** The format of that name. */
  public static Optional<TraceFormat> of(String label) {
    return Arrays.stream(values()).filter(format -> format.label.equals(label)).findFirst();
  }

  /**
   * The jobs of the file, on those nodes.
   *
   * @throws UnreadableTraceException with file, line, column and what would be right
   */
  public Trace read(Path file, List<Machine> machines) {
    var trace = readAll(file, machines);
    if (trace.jobs().isEmpty()) {
      throw new UnreadableTraceException("%s: no job is in it".formatted(file));
    }
    return trace;
  }

  private Trace readAll(Path file, List<Machine> machines) {
    return switch (this) {
      case REPLAY -> ReplayLoader.read(file, machines);
      case PHILLY_MURI -> MuriLoader.read(file, machines);
      case PHILLY -> PhillyLoader.read(file, machines);
      case OPENB -> OpenbLoader.read(file, machines);
      case PAI -> PaiLoader.read(file, machines);
      case HELIOS -> SlurmLoader.helios(file, machines);
      case ACME -> SlurmLoader.acme(file, machines);
    };
  }
}
