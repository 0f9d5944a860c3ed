package io.muster.extender.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.device.Claim.Allocated;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.device.Offer.Counted;
import io.muster.extender.core.device.Selectors.Verdict;
import io.muster.extender.core.device.Slice.DeviceId;
import io.muster.extender.core.device.Slice.Pool;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Classes whose selectors are names of devices, or parts of names. */
final class NodeDevicesTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final String OF_GPU = DeviceClass.IMPLICIT + "gpu";
  private static final String OF_H100 = DeviceClass.IMPLICIT + "h100";

  private final List<String> forgotten = new ArrayList<>();
  private final NodeDevices devices =
      new NodeDevices(
          new Selectors() {
            @Override
            public Verdict verdict(DeviceClass deviceClass, String driver, Device device) {
              if (device.name().contains("odd-for-" + deviceClass.name())) {
                return new Verdict.Unknown("a selector fails");
              }
              return deviceClass.selectors().stream().anyMatch(device.name()::contains)
                  ? new Verdict.Meets()
                  : new Verdict.Differs();
            }

            @Override
            public void forget(String deviceClass) {
              forgotten.add(deviceClass);
            }
          },
          (uid, _, resource) -> uid.equals("counted") && !resource.equals(OF_GPU) ? 2 : 0);

  private void addClass(String name, int createdAt, String resource, String... selectors) {
    devices.classSeen(
        new DeviceClass(
            name,
            "1",
            Instant.ofEpochSecond(createdAt),
            Optional.ofNullable(resource),
            List.of(selectors)));
  }

  private static Slice slice(String node, int slices, String... names) {
    return new Slice(
        "of-" + node,
        new Pool("d", node),
        1,
        slices,
        Optional.of(node),
        Stream.of(names)
            .map(name -> new Device(name, Device.Use.WHOLE, false, Map.of(), Map.of()))
            .toList());
  }

  private static Claim claim(String pod, String deviceClass, String device) {
    return new Claim(
        "ml/c",
        Optional.of("a"),
        Optional.of(pod),
        List.of(new Allocated(new DeviceId(new Pool("d", "a"), device), deviceClass)));
  }

  @Test
  void aPartOfAClassIsCountedUnderBothNames() {
    addClass("gpu", 1, GPU, "gpu");
    addClass("h100", 2, null, "h100");
    devices.sliceSeen(slice("a", 1, "gpu-0", "gpu-1", "gpu-h100-2", "gpu-h100-3"));
    devices.sliceSeen(slice("b", 1, "gpu-0"));

    assertThat(devices.known())
        .containsEntry("h100", new KnownClass(GPU, OF_H100, true))
        .containsEntry("gpu", new KnownClass(GPU, OF_GPU, true));
    assertThat(devices.known().get("h100").isExtendedResource()).isTrue();
    var of4 = List.of(new Counted(GPU, GPU, 4), new Counted(OF_GPU, GPU, 4));
    assertThat(devices.offer("a").counted())
        .containsExactlyInAnyOrder(of4.get(0), of4.get(1), new Counted(OF_H100, GPU, 2));
    assertThat(devices.offer("a").uncounted()).isEmpty();
    assertThat(devices.offer("b").counted()).extracting(Counted::name).doesNotContain(OF_H100);

    // What a pod has that the ledger counts is in the offer still; what another has is not.
    devices.claimSeen(claim("counted", "h100", "gpu-h100-2"));
    assertThat(devices.offer("a").counted()).contains(of4.get(0), new Counted(OF_H100, GPU, 2));
    devices.claimSeen(claim("other", "h100", "gpu-h100-2"));
    assertThat(devices.offer("a").counted())
        .contains(new Counted(GPU, GPU, 3), new Counted(OF_H100, GPU, 1));
  }

  @Test
  void aDeviceOfItsOwnMakesAClassNoPartAndAllNodesAreToldSo() {
    addClass("gpu", 1, GPU, "gpu");
    addClass("h100", 2, null, "h100");
    devices.sliceSeen(slice("a", 1, "gpu-h100-0"));
    assertThat(devices.sliceSeen(slice("b", 1, "h100-0"))).contains("a", "b");
    assertThat(devices.known()).containsEntry("h100", new KnownClass(OF_H100, OF_H100, true));
    assertThat(devices.offer("a").uncounted())
        .containsEntry(OF_H100, "DeviceClass h100: counted for DeviceClass gpu");
    assertThat(devices.sliceGone("of-b")).contains("a", "b");
    assertThat(devices.known()).containsEntry("h100", new KnownClass(GPU, OF_H100, true));
  }

  @Test
  void theNodeThatASliceLeavesIsToldThoughAClassBecomesNoPart() {
    addClass("gpu", 1, GPU, "gpu");
    addClass("h100", 2, null, "h100");
    devices.sliceSeen(slice("a", 1, "gpu-h100-0"));
    var away = slice("b", 1, "h100-0");
    assertThat(devices.sliceSeen(new Slice("of-a", away.pool(), 1, 1, away.node(), away.devices())))
        .contains("a", "b");
    assertThat(devices.offer("a")).isEqualTo(Offer.NONE);
  }

  @Test
  void aClassThatIsSharedOutAmongOthersIsNotCounted() {
    addClass("gpu", 1, GPU, "gpu");
    addClass("nic", 1, null, "nic");
    addClass("odd", 2, null, "0");
    devices.sliceSeen(slice("a", 1, "gpu-0", "nic-0"));
    assertThat(devices.known().get("odd").isCounted()).isFalse();
    assertThat(devices.known().get("nic").isCounted()).isTrue();
  }

  @Test
  void aNewerClassTakesNoDevicesOver() {
    addClass("gpu", 1, GPU, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0"));
    addClass("a-gpu", 2, "example.com/gpu", "gpu");
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 1));
    assertThat(devices.offer("a").uncounted())
        .containsEntry("example.com/gpu", "DeviceClass a-gpu: counted for DeviceClass gpu");
  }

  @Test
  void aDeviceOnWhichASelectorFailsIsNotCountedAndOthersAre() {
    addClass("gpu", 1, GPU, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0", "gpu-odd-for-gpu", "gpu-1"));
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 2));
    assertThat(devices.offer("a").uncounted())
        .containsEntry(GPU, "DeviceClass gpu: a selector fails");
  }

  /** The claim names the old class still, and the pod takes what it asks for by the resource. */
  @Test
  void whatAPodHasOfADeletedClassIsTakenOnce() {
    addClass("old", 1, GPU, "gpu");
    addClass("new", 2, null, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0", "gpu-1", "gpu-2"));
    devices.claimSeen(claim("counted", "old", "gpu-0"));
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 3));
    devices.classGone("old");
    addClass("new", 2, GPU, "gpu");
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 3));
    devices.claimSeen(claim("other", "old", "gpu-0"));
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 2));
  }

  /** The newest of two classes has the resource; the claim names the one that had it before. */
  @Test
  void whatAPodHasOfAClassThatHasLostItsResourceIsTakenOnce() {
    addClass("gpu", 1, GPU, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0", "gpu-h100-1", "gpu-h100-2"));
    devices.claimSeen(claim("counted", "gpu", "gpu-0"));
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 3));
    addClass("h100", 2, GPU, "h100");
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 3));
    devices.claimSeen(claim("other", "gpu", "gpu-0"));
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 2));
  }

  @Test
  void aPoolThatLacksSlicesIsNamed() {
    addClass("gpu", 1, GPU, "gpu");
    addClass("nic", 1, null, "nic");
    devices.sliceSeen(slice("a", 2, "gpu-0"));
    assertThat(devices.offer("a"))
        .isEqualTo(
            new Offer(
                List.of(),
                Map.of(
                    GPU, "DeviceClass gpu: pool a lacks slices",
                    OF_GPU, "DeviceClass gpu: pool a lacks slices")));
  }

  /** Whoever may write slices of one node may put any pool into them. */
  @Test
  void aSliceOfAnotherNodeTakesNoDevicesFromAPoolThatIsWholeWithoutIt() {
    addClass("gpu", 1, GPU, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0", "gpu-1"));
    var of2 = new Counted(GPU, GPU, 2);
    for (long generation : List.of(0L, 1L, 2L)) {
      devices.sliceSeen(
          new Slice("of-b", new Pool("d", "a"), generation, 1, Optional.of("b"), List.of()));
      assertThat(devices.offer("a").counted()).as("generation %d", generation).contains(of2);
    }
  }

  @Test
  void aPoolOfSeveralNodesCountsOnceAllItsSlicesAreThere() {
    addClass("gpu", 1, GPU, "gpu");
    var pool = new Pool("d", "all");
    devices.sliceSeen(
        new Slice("of-a", pool, 1, 2, Optional.of("a"), slice("a", 1, "gpu-0").devices()));
    assertThat(devices.offer("a").uncounted())
        .containsEntry(GPU, "DeviceClass gpu: pool all lacks slices");
    var other = new Slice("of-b", pool, 1, 2, Optional.of("b"), slice("b", 1, "gpu-1").devices());
    assertThat(devices.sliceSeen(other)).contains("a", "b");
    assertThat(devices.offer("a").counted()).contains(new Counted(GPU, GPU, 1));
    assertThat(devices.offer("b").counted()).contains(new Counted(GPU, GPU, 1));
    // The driver replaces them, and has not come to the other node yet.
    devices.sliceSeen(new Slice("of-b", pool, 2, 2, other.node(), other.devices()));
    assertThat(devices.offer("a")).isEqualTo(Offer.NONE);
  }

  @Test
  void aPoolThatNamesADeviceTwiceIsNotCounted() {
    addClass("gpu", 1, GPU, "gpu");
    var pool = new Pool("d", "a");
    for (int i = 0; i < 2; i++) {
      devices.sliceSeen(
          new Slice("of-a-" + i, pool, 1, 2, Optional.of("a"), slice("a", 2, "gpu-0").devices()));
    }
    assertThat(devices.offer("a").counted()).isEmpty();
    assertThat(devices.offer("a").uncounted())
        .containsEntry(GPU, "DeviceClass gpu: pool a names device gpu-0 twice");
  }

  @Test
  void aNodeThatListsTheResourceItselfSaysWhyTheOtherNameIsNotThere() {
    addClass("gpu", 1, GPU, "gpu");
    devices.sliceSeen(slice("a", 1, "gpu-0"));
    var node = NodeBuilder.aNode("a").gpus(8).build().offering(devices.offer("a"));
    assertThat(node.allocatable().extended()).isEqualTo(Map.of(GPU, 8L));
    assertThat(node.uncounted()).isEqualTo(Map.of(OF_GPU, "the node lists nvidia.com/gpu itself"));
  }

  @Test
  void whatIsKnownOfADeletedClassIsForgotten() {
    addClass("gpu", 1, GPU, "gpu");
    devices.classGone("gpu");
    assertThat(forgotten).containsExactly("gpu");
  }
}
