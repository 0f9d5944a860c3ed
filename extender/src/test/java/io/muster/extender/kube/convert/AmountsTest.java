package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Resources;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quantities that no real amount has. */
final class AmountsTest {

  @ParameterizedTest
  @CsvSource({"-1E-999999999, 8", "0E-999999999, 8", "1E-999999999, 7", "1E999999999, 0"})
  void whatIsLeftIsToldWhateverIsUsed(String used, long left) {
    var name = "requests.nvidia.com/gpu";
    assertThat(
            new Amounts()
                .left(name, Map.of(name, new Quantity("8")), Map.of(name, new Quantity(used))))
        .isEqualTo(left);
  }

  /** Each name costs something wherever the pod is counted; no node has as many. */
  @Test
  void ofThousandsOfNamesDevicesComeFirst() {
    var names = new HashMap<String, Long>();
    IntStream.range(0, 20_000).forEach(i -> names.put("a.example.com/" + i, 1L));
    names.put("nvidia.com/gpu", 8L);

    var kept = Amounts.bounded(new Resources(0, 0, names)).extended();

    assertThat(kept).hasSize(Amounts.MOST_NAMES).containsEntry("nvidia.com/gpu", 8L);
  }
}
