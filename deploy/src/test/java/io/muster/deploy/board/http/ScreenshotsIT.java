package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.view.ClusterSight;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Row B13: the pictures of the documentation are those of the page as it is. */
final class ScreenshotsIT {

  private static final Path DOCUMENTED = Path.of("docs/images");
  private static final String LIGHT = "board-light.png";
  private static final String DARK = "board-dark.png";

  /** Letters have softer edges on one machine than on another. */
  private static final int SOFT = 48;

  private static final double MOST = 0.02;

  @TempDir private Path folder;

  private static BufferedImage read(Path file) throws IOException {
    return ImageIO.read(file.toFile());
  }

  /** The share of pixels that differ. */
  private static double difference(BufferedImage one, BufferedImage other) {
    assertThat(other.getWidth()).isEqualTo(one.getWidth());
    assertThat(other.getHeight()).isEqualTo(one.getHeight());
    int different = 0;
    for (int y = 0; y < one.getHeight(); y++) {
      for (int x = 0; x < one.getWidth(); x++) {
        if (differ(one.getRGB(x, y), other.getRGB(x, y))) {
          different++;
        }
      }
    }
    return (double) different / (one.getWidth() * one.getHeight());
  }

  private static boolean differ(int one, int other) {
    for (int shift = 0; shift <= 16; shift += 8) {
      if (Math.abs((one >> shift & 0xff) - (other >> shift & 0xff)) > SOFT) {
        return true;
      }
    }
    return false;
  }

  @Test
  void thePicturesOfTheDocumentationAreThoseOfThePage()
      throws IOException, ClusterSight.NoSightException {
    Screenshots.make(DOCUMENTED.resolve("board-snapshot.json"), folder);

    for (var name : new String[] {LIGHT, DARK}) {
      double difference = difference(read(DOCUMENTED.resolve(name)), read(folder.resolve(name)));
      System.out.printf("board: %s differs in %.2f %% of its pixels%n", name, 100 * difference);
      assertThat(difference).as("%s: make it with deploy/board-screenshots", name).isLessThan(MOST);
    }
    assertThat(difference(read(folder.resolve(LIGHT)), read(folder.resolve(DARK))))
        .as("one theme and the other")
        .isGreaterThan(10 * MOST);
  }
}
