package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.sandbox.GrantedRight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BoardRightsTest {

  private static final Set<String> READS = Set.of("get", "list", "watch");

  /** Row B5b. */
  @Test
  void whatIsCreatedAreReviewsAndNothingElseIsWritten() throws IOException {
    var documents = Files.readString(Path.of("rbac/board.yml")).split("\n---\n");
    var granted =
        GrantedRight.of(
            Arrays.stream(documents)
                .map(document -> new KubernetesSerialization().<HasMetadata>unmarshal(document))
                .toList());

    assertThat(granted).hasSizeGreaterThan(20);
    assertThat(granted)
        .filteredOn(right -> !READS.contains(right.verb()))
        .extracting(GrantedRight::toString)
        .containsExactlyInAnyOrder(
            "create tokenreviews of authentication.k8s.io",
            "create subjectaccessreviews of authorization.k8s.io");
    assertThat(granted).extracting(GrantedRight::resource).doesNotContain("secrets");
  }
}
