package io.muster.deploy.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ReleaseCommandTest {

  @TempDir Path folder;

  private Scene scene;

  @BeforeEach
  void open() throws IOException {
    scene = new Scene(folder);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private Scene.Run release(String... arguments) throws IOException {
    return scene.run(new ReleaseCommand(() -> {}), arguments);
  }

  @Test
  void aMusterThatIsNotToldIsSaidToBeSo() throws IOException {
    scene.registered();
    scene.gated("g-0");

    var run = release("--all", "-n", "team-a");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("gates taken off: 1").doesNotContain("is labelled");
    assertThat(run.err())
        .contains("its registration names namespace muster-system")
        .contains("has not been told: run this again with -n muster-system");
    assertThat(release("--undo", "-n", "gone").code()).isEqualTo(1);
  }

  @Test
  void gatesOfAMusterThatIsGoneAreTakenOff() throws IOException {
    scene.api.client().leases().inNamespace("muster-system").withName("muster").delete();
    scene.api.client().rbac().clusterRoleBindings().withName("muster").delete();
    scene.gated("g-0");

    var run = release("--all", "-n", "gone");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("nor a trace of one anywhere").contains("gates taken off: 1");
  }

  @Test
  void whatCannotBeChangedIsNamedAndTheRestIsReleased() throws IOException {
    scene.marked("m-0");
    for (int node = 0; node < 20; node++) {
      scene.node("n%02d".formatted(node));
      if (node < 12) {
        scene.api.refuses("PATCH /api/v1/nodes/n%02d/status".formatted(node), 403);
      }
    }
    // Gone since the list was made.
    scene.api.refuses("PATCH /api/v1/nodes/n19/status", 404);

    var run = release("--all", "-n", "muster-system");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("7 nodes now offer muster.io/gang-member");
    assertThat(run.err())
        .contains("nodes that do not offer muster.io/gang-member, 12: n00 (not by")
        .contains("and 2 more")
        .doesNotContain("n11", "n19");
    assertThat(scene.isMarked()).isTrue();
  }

  @Test
  void nodesAreReadInPagesAndAllOfThemWritten() throws IOException {
    scene.marked("m-0");
    for (int node = 0; node < 600; node++) {
      scene.node("n%03d".formatted(node));
    }

    var run = release("--all", "-n", "muster-system");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("600 nodes now offer muster.io/gang-member");
    assertThat(scene.api.requests())
        .filteredOn(request -> request.startsWith("GET /api/v1/nodes?"))
        .hasSize(3)
        .allMatch(request -> request.contains("limit=250"));
  }
}
