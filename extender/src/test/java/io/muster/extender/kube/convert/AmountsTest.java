package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
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
}
