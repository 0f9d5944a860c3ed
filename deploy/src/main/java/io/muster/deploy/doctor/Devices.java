package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.Node;
import io.muster.extender.core.cluster.Accelerator;
import io.muster.extender.core.cluster.Accelerators;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The accelerators that nodes offer, against the names that Muster knows. Pure. */
record Devices(List<Node> nodes) {

  private static final String CHECK = "devices";

  /** Names that look like those of accelerators. */
  private static final Pattern ACCELERATOR =
      Pattern.compile("(?i).*/.*(gpu|npu|tpu|xpu|mlu|dcu|accelerator|neuron|ascend).*");

  List<Finding> findings() {
    var counted = new TreeSet<String>();
    var refused = new TreeSet<String>();
    var unknown = new TreeSet<String>();
    for (var node : nodes) {
      if (node.getStatus() == null || node.getStatus().getAllocatable() == null) {
        continue;
      }
      node.getStatus()
          .getAllocatable()
          .forEach((name, amount) -> {
            if (amount != null && amount.getNumericalAmount().signum() > 0) {
              Accelerators.kindOf(name)
                  .map(kind -> kind.isCounted() ? counted : refused)
                  .or(() ->
                      ACCELERATOR.matcher(name).matches() ? Optional.of(unknown) : Optional.empty())
                  .ifPresent(names -> names.add(name));
            }
          });
    }
    var findings = new ArrayList<Finding>();
    findings.add(
        counted.isEmpty()
            ? Finding.ok(CHECK, "no node offers an accelerator that Muster counts")
            : Finding.ok(CHECK, "nodes offer " + String.join(", ", counted)));
    refused.forEach(name ->
        findings.add(
            Finding.problem(
                CHECK + ".shares",
                "nodes offer %s, which is no whole device: members that ask for it are refused"
                    .formatted(name),
                "let the nodes offer %s, or keep gangs off it; see accelerators.md"
                    .formatted(
                        Accelerators.find(name)
                            .map(Accelerator::askFor)
                            .orElse("whole devices")))));
    unknown.forEach(name ->
        findings.add(
            Finding.cannotTell(
                CHECK + ".unknown",
                "nodes offer %s, a name that Muster does not know".formatted(name),
                "if it counts whole devices, members that ask for it carry the marker and are placed"
                    + " with it; single pods are left to kube-scheduler")));
    return findings;
  }
}
