package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** A pod that names no PodGroup would be placed by itself, and side native would measure that. */
final class NativeGangsTest {

  @Test
  void aMemberNamesThePodGroupOfItsGangAndIsOtherwiseTheSame() throws Exception {
    var json = new ObjectMapper();
    var plain =
        Manifests.member(
            new Gang.Member(new Gang("g7", 8, 2), 3), "uid", Manifests.DEFAULT_SCHEDULER);
    var grouped = json.readTree(NativeGangs.member(plain, "g7"));

    assertThat(grouped.at("/spec/schedulingGroup/podGroupName").asText()).isEqualTo("g7");
    grouped.withObject("/spec").remove("schedulingGroup");
    assertThat(grouped).isEqualTo(json.readTree(plain));
  }

  @Test
  void aPodWithoutRoomForItIsRefused() {
    assertThatThrownBy(() -> NativeGangs.member("{\"kind\":\"Pod\"}", "g7"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
