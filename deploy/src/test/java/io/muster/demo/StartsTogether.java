package io.muster.demo;

import java.util.Set;

/** Two more GPUs for the gang that waits: all four start. */
final class StartsTogether implements Act {

  @Override
  public String title() {
    return "(c) two more nodes for the gang that waits";
  }

  @Override
  public String promise() {
    return "With room for four, all four workers of (a) start, without anybody touching them.";
  }

  @Override
  public void play(Stage stage) {
    var gang = Stage.TORCH_MNIST;
    var checks = stage.checks();
    checks.equal("until now none was ever bound", Set.of(), stage.watch().everBound(gang));
    stage.join(2, "late", gang.name());
    checks.becomes(
        "all four run", 4, () -> stage.pods().count(gang.namespace(), gang.name(), "Running"));
    stage.kubectl().show("get", "pod", "-n", gang.namespace(), "-o", "wide");
    stage.kubectl().show("get", "gang", gang.name(), "-n", gang.namespace());
  }
}
