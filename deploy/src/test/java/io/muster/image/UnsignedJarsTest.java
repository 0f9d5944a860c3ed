package io.muster.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.bouncycastle.cert.X509CertificateHolder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnsignedJarsTest {

  private static final String A_CLASS = "org/bouncycastle/cert/X509CertificateHolder.class";

  @TempDir private Path folder;
  private Path published;
  private Path jar;

  @BeforeEach
  void copyOfASignedJar() throws IOException, URISyntaxException {
    published =
        Path.of(
            X509CertificateHolder.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    jar = Files.copy(published, folder.resolve("signed.jar"));
  }

  @Test
  void theSignatureGoesAndAllElseStays() throws IOException {
    assertThat(UnsignedJars.in(folder)).containsExactly("signed.jar");

    var left = new ArrayList<String>();
    try (var before = new JarFile(published.toFile());
        var after = new JarFile(jar.toFile())) {
      assertThat(after.getManifest().getMainAttributes())
          .isEqualTo(before.getManifest().getMainAttributes());
      assertThat(after.getManifest().getEntries()).isEmpty();
      for (var entry : (Iterable<JarEntry>) before.stream()::iterator) {
        if (after.getEntry(entry.getName()) == null) {
          left.add(entry.getName());
        } else if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
          assertThat(after.getInputStream(entry).readAllBytes())
              .isEqualTo(before.getInputStream(entry).readAllBytes());
        }
      }
    }
    assertThat(left)
        .hasSize(2)
        .allMatch(name -> name.matches("META-INF/[A-Z0-9_]+\\.(SF|DSA|RSA|EC)"));
  }

  @Test
  void aJarWithoutSignatureIsLeftAlone() throws IOException {
    UnsignedJars.in(folder);
    var unsigned = Files.readAllBytes(jar);

    assertThat(UnsignedJars.in(folder)).isEmpty();
    assertThat(Files.readAllBytes(jar)).isEqualTo(unsigned);
  }

  @Test
  void aClassThatWasChangedIsRefused() throws IOException {
    change(A_CLASS);

    assertThatThrownBy(() -> UnsignedJars.in(folder))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("signed.jar is not as it was signed")
        .hasMessageContaining(A_CLASS);
  }

  @Test
  void aClassThatWasAddedIsRefused() throws IOException {
    change("org/example/Added.class");

    assertThatThrownBy(() -> UnsignedJars.in(folder))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("org/example/Added.class")
        .hasMessageContaining("is not signed, and other entries are");
  }

  private void change(String entry) throws IOException {
    try (var zip = FileSystems.newFileSystem(jar)) {
      var path = zip.getPath(entry);
      Files.createDirectories(path.getParent());
      Files.write(path, List.of("changed"));
    }
  }
}
