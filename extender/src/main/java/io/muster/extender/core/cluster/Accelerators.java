package io.muster.extender.core.cluster;

import static io.muster.extender.core.cluster.Accelerator.Kind.MEMORY;
import static io.muster.extender.core.cluster.Accelerator.Kind.PARTITION;
import static io.muster.extender.core.cluster.Accelerator.Kind.SHARE;
import static io.muster.extender.core.cluster.Accelerator.Kind.WHOLE;

import io.muster.extender.core.cluster.Accelerator.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The resource names that mean accelerators, and which of them Muster manages: those that count
 * whole devices or partitions. Stateless.
 */
public final class Accelerators {

  /**
   * Asked for by members that ask for none of {@link #NAMES}, so that kube-scheduler consults
   * Muster about them; no node offers it. Not an accelerator itself.
   */
  public static final String MARKER = "muster.io/gang-member";

  private static final String NVIDIA = "nvidia.com/gpu";

  /** The row of a name says what it is, else the first family that it belongs to. */
  public static final List<Accelerator> TABLE =
      List.of(
          whole(NVIDIA, "NVIDIA"),
          whole("nvidia.com/pgpu", "NVIDIA, for virtual machines"),
          refused("nvidia.com/vgpu", SHARE, "NVIDIA, for virtual machines", NVIDIA),
          refused("nvidia.com/gpu.shared", SHARE, "NVIDIA, time-slicing and MPS", NVIDIA),
          refused("nvidia.com/mig-*.shared", SHARE, "NVIDIA, time-slicing of MIG", NVIDIA),
          new Accelerator("nvidia.com/mig-*", PARTITION, "NVIDIA MIG", "nvidia.com/mig-*"),
          refused("nvidia.com/gpumem", MEMORY, "HAMi", NVIDIA),
          refused("nvidia.com/gpumem-percentage", MEMORY, "HAMi", NVIDIA),
          refused("nvidia.com/gpucores", SHARE, "HAMi", NVIDIA),
          refused("aliyun.com/gpu-mem", MEMORY, "Alibaba gpushare", NVIDIA),
          refused("aliyun.com/gpu-count", SHARE, "Alibaba gpushare", NVIDIA),
          refused("koordinator.sh/gpu", SHARE, "Koordinator, in percent", NVIDIA),
          refused("koordinator.sh/gpu.shared", SHARE, "Koordinator", NVIDIA),
          refused("koordinator.sh/gpu-core", SHARE, "Koordinator, in percent", NVIDIA),
          refused("koordinator.sh/gpu-memory", MEMORY, "Koordinator", NVIDIA),
          refused("koordinator.sh/gpu-memory-ratio", MEMORY, "Koordinator, in percent", NVIDIA),
          refused(
              "koordinator.sh/rdma",
              SHARE,
              "Koordinator, in percent",
              "the name under which your RDMA device plugin counts devices"),
          whole("amd.com/gpu", "AMD"),
          refused("amd.com/gpumem", MEMORY, "HAMi", "amd.com/gpu"),
          whole("gpu.intel.com/i915", "Intel"),
          whole("gpu.intel.com/xe", "Intel"),
          whole("habana.ai/gaudi", "Intel Gaudi"),
          whole("google.com/tpu", "Google TPU"),
          whole("aws.amazon.com/neuron", "AWS Neuron"),
          whole("huawei.com/Ascend910A", "Huawei Ascend"),
          whole("huawei.com/Ascend910B2", "Huawei Ascend"),
          whole("huawei.com/Ascend910B3", "Huawei Ascend"),
          whole("huawei.com/Ascend910B4", "Huawei Ascend"),
          whole("huawei.com/Ascend910B4-1", "Huawei Ascend"),
          whole("huawei.com/Ascend910C", "Huawei Ascend"),
          whole("huawei.com/Ascend310P", "Huawei Ascend"),
          refused("huawei.com/Ascend*-memory", MEMORY, "HAMi", "the same name without -memory"),
          whole("dcu.com/gpu", "Hygon DCU, Koordinator's name"),
          whole("hygon.com/dcunum", "Hygon DCU"),
          refused("hygon.com/dcumem", MEMORY, "HAMi", "hygon.com/dcunum"),
          refused("hygon.com/dcucores", SHARE, "HAMi", "hygon.com/dcunum"),
          whole("cambricon.com/mlu", "Cambricon MLU"),
          refused("cambricon.com/vmlu", SHARE, "HAMi", "cambricon.com/mlu"),
          refused("cambricon.com/mlu.smlu.vmemory", MEMORY, "HAMi", "cambricon.com/mlu"),
          refused("cambricon.com/mlu.smlu.vcore", SHARE, "HAMi", "cambricon.com/mlu"),
          whole("metax-tech.com/gpu", "MetaX"),
          refused("metax-tech.com/sgpu", SHARE, "HAMi", "metax-tech.com/gpu"),
          refused("metax-tech.com/vmemory", MEMORY, "HAMi", "metax-tech.com/gpu"),
          refused("metax-tech.com/vcore", SHARE, "HAMi", "metax-tech.com/gpu"),
          whole("mthreads.com/gpu", "Moore Threads"),
          refused("mthreads.com/vgpu", SHARE, "HAMi", "mthreads.com/gpu"),
          refused("mthreads.com/sgpu-memory", MEMORY, "HAMi", "mthreads.com/gpu"),
          refused("mthreads.com/sgpu-core", SHARE, "HAMi", "mthreads.com/gpu"),
          whole("iluvatar.ai/gpu", "Iluvatar"),
          refused("iluvatar.ai/*-vgpu", SHARE, "HAMi", "iluvatar.ai/gpu"),
          refused("iluvatar.ai/*.vMem", MEMORY, "HAMi", "iluvatar.ai/gpu"),
          refused("iluvatar.ai/*.vCore", SHARE, "HAMi", "iluvatar.ai/gpu"),
          whole("kunlunxin.com/xpu", "Kunlunxin"),
          refused("kunlunxin.com/vxpu", SHARE, "HAMi", "kunlunxin.com/xpu"),
          refused("kunlunxin.com/vxpu-memory", MEMORY, "HAMi", "kunlunxin.com/xpu"),
          whole("vastaitech.com/va", "Vastai"),
          whole("birentech.com/gpu", "Biren"));

  /** Rows that are one name; looked up for every device of every node. */
  private static final Map<String, Accelerator> BY_NAME =
      TABLE.stream()
          .filter(row -> !row.isFamily())
          .collect(Collectors.toUnmodifiableMap(Accelerator::pattern, row -> row));

  private static final List<Accelerator> FAMILIES =
      TABLE.stream().filter(Accelerator::isFamily).toList();

  /**
   * Names of whole devices. They stand in managedResources of kube-scheduler's configuration too,
   * which knows no patterns.
   */
  public static final Set<String> NAMES =
      TABLE.stream()
          .filter(row -> row.kind() == WHOLE)
          .map(Accelerator::pattern)
          .collect(Collectors.toUnmodifiableSet());

  /** Names of partitions begin so; each profile of a partition is a name of its own. */
  public static final Set<String> PREFIXES =
      TABLE.stream()
          .filter(row -> row.kind() == PARTITION)
          .map(Accelerator::head)
          .collect(Collectors.toUnmodifiableSet());

  private Accelerators() {}

  /** What is known about this resource; empty if it is no accelerator that is known. */
  public static Optional<Accelerator> find(String name) {
    var known = BY_NAME.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    for (var family : FAMILIES) {
      if (family.matches(name)) {
        return Optional.of(family);
      }
    }
    return Optional.empty();
  }

  /** What one unit of this resource is; empty if it is no accelerator that is known. */
  public static Optional<Kind> kindOf(String resourceName) {
    return find(resourceName).map(Accelerator::kind);
  }

  /** Whether units of this resource are accelerators, whole or in hardware partitions. */
  public static boolean isManaged(String name) {
    return kindOf(name).filter(Kind::isCounted).isPresent();
  }

  /** The first of those that are asked for, by name: nodes are ranked by it. */
  public static Optional<String> first(Resources requests) {
    return requests.extended().keySet().stream()
        .filter(name -> requests.of(name) > 0 && isManaged(name))
        .min(Comparator.naturalOrder());
  }

  private static Accelerator whole(String name, String vendor) {
    return new Accelerator(name, WHOLE, vendor, name);
  }

  private static Accelerator refused(String pattern, Kind kind, String vendor, String askFor) {
    return new Accelerator(pattern, kind, vendor, askFor);
  }
}
