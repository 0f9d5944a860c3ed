package io.muster.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Takes the signatures off the jars of an image, once they have been verified: a JVM takes no class
 * of a signed jar into its AOT cache, and verifies the signatures again at each start.
 */
final class UnsignedJars {

  private static final Pattern SIGNATURE =
      Pattern.compile("META-INF/(SIG-[^/]*|[^/]*\\.(SF|RSA|DSA|EC))");

  private UnsignedJars() {}

  /** Argument: the folder with the jars. Prints the names of those that were signed. */
  public static void main(String[] arguments) throws IOException {
    in(Path.of(arguments[0])).forEach(System.out::println);
  }

  /**
   * Replaces each signed jar of a folder by the same without signature.
   *
   * @return the names of those that were signed, sorted
   * @throws ImageException if a class of one does not fit its signature
   */
  static List<String> in(Path folder) throws IOException {
    List<Path> jars;
    try (var found = Files.list(folder)) {
      jars = found.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
    var signed = new ArrayList<String>();
    for (var jar : jars) {
      if (isSigned(jar)) {
        replace(jar);
        signed.add(jar.getFileName().toString());
      }
    }
    return signed;
  }

  private static boolean isSigned(Path file) throws IOException {
    try (var jar = new JarFile(file.toFile())) {
      return jar.stream().anyMatch(UnsignedJars::isSignature);
    }
  }

  private static boolean isSignature(ZipEntry entry) {
    return SIGNATURE.matcher(entry.getName().toUpperCase(Locale.ROOT)).matches();
  }

  private static void replace(Path file) throws IOException {
    var unsigned = file.resolveSibling(file.getFileName() + ".unsigned");
    try (var jar = new JarFile(file.toFile(), true);
        var out = new ZipOutputStream(Files.newOutputStream(unsigned))) {
      for (var entries = jar.entries(); entries.hasMoreElements(); ) {
        var entry = entries.nextElement();
        if (!isSignature(entry)) {
          copy(jar, entry, out);
        }
      }
    } catch (SecurityException e) {
      throw new ImageException(file + " is not as it was signed: " + e.getMessage(), e);
    }
    Files.move(unsigned, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void copy(JarFile jar, JarEntry entry, ZipOutputStream out) throws IOException {
    var copy = new ZipEntry(entry.getName());
    copy.setTime(entry.getTime());
    out.putNextEntry(copy);
    if (entry.getName().equals(JarFile.MANIFEST_NAME)) {
      writeMainSection(jar.getManifest(), out);
    } else {
      try (var in = jar.getInputStream(entry)) {
        in.transferTo(out);
      }
      if (entry.getName().endsWith(".class") && entry.getCodeSigners() == null) {
        throw new ImageException(
            "%s in %s is not signed, and other entries are"
                .formatted(entry.getName(), jar.getName()));
      }
    }
    out.closeEntry();
  }

  /** The digests of the entries belong to the signature. */
  private static void writeMainSection(Manifest manifest, OutputStream out) throws IOException {
    var main = new Manifest();
    main.getMainAttributes().putAll(manifest.getMainAttributes());
    main.write(out);
  }
}
