package io.muster.extender.core.cluster;

import java.util.Set;

/** The resource names that Muster looks after. Stateless. */
public final class Accelerators {

  /**
   * Asked for by members that ask for no accelerator, so that kube-scheduler consults Muster about
   * them; no node offers it. Not an accelerator itself.
   */
  public static final String MARKER = "muster.io/gang-member";

  /** Names of whole devices. */
  public static final Set<String> NAMES =
      Set.of(
          "amd.com/gpu",
          "gpu.intel.com/i915",
          "gpu.intel.com/xe",
          "habana.ai/gaudi",
          "nvidia.com/gpu");

  /** Names of partitions begin so; each profile of a partition is a name of its own. */
  public static final Set<String> PREFIXES = Set.of("nvidia.com/mig-");

  private Accelerators() {}

  /** Whether units of this resource are GPUs, whole or in hardware partitions. */
  public static boolean isManaged(String name) {
    return NAMES.contains(name) || PREFIXES.stream().anyMatch(name::startsWith);
  }
}
