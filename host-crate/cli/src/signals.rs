//! What the system tells a process by signals: that it shall end, that a file which it reads has become shorter, and that one which it
//! writes may not grow.

use std::io;

/// Calls `end` with the number of each signal that asks the process to end. Must be called before there are other threads.
#[cfg(unix)]
pub fn when_asked_to_end(end: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    let signals = requests_to_end();
    // A thread that waits for signals may do anything, which a handler may not. Threads that are started from now on block them, too.
    // SAFETY: the set is initialised.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut()) };
    let wait = move || {
        let mut signal = 0;
        // SAFETY: the set is initialised, and the signal has room for a number.
        while unsafe { libc::sigwait(&signals, &mut signal) } == 0 {
            end(signal as u8);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// Calls `end` on Ctrl-C, which is the only signal of this system that asks a process to end.
#[cfg(not(unix))]
pub fn when_asked_to_end(end: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    const INTERRUPT: u8 = 2;
    ctrlc::set_handler(move || end(INTERRUPT)).map_err(io::Error::other)
}

/// Ctrl-C, `kill`, and the end of the terminal, unless `nohup` has the last ignored.
#[cfg(unix)]
fn requests_to_end() -> libc::sigset_t {
    // SAFETY: both are plain numbers to C, for which zeros are valid, and are filled by the functions before they are read.
    unsafe {
        let (mut signals, mut hangup): (libc::sigset_t, libc::sigaction) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut signals);
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut hangup);
        libc::sigaddset(&mut signals, libc::SIGINT);
        libc::sigaddset(&mut signals, libc::SIGTERM);
        if hangup.sa_sigaction != libc::SIG_IGN {
            libc::sigaddset(&mut signals, libc::SIGHUP);
        }
        signals
    }
}

/// Makes errors of what would end the process: a limit on the size of files, and a mapped file that another process has made shorter.
pub fn expect_trouble_with_files() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal calls nothing.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
    // Elsewhere this signal can also be a stack that is full.
    #[cfg(target_os = "linux")]
    handle(libc::SIGBUS, when_file_is_lost);
}

#[cfg(unix)]
pub fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: handlers of this program only make system calls that a handler may make.
    unsafe { libc::signal(signal, handler as libc::sighandler_t) };
}

#[cfg(target_os = "linux")]
extern "C" fn when_file_is_lost(_: libc::c_int) {
    end_at_once(b"error: a file that is being read has become shorter, or cannot be read any more\n", 3)
}

/// Ends the process from within a handler, without half-written files.
#[cfg(unix)]
pub fn end_at_once(message: &[u8], status: u8) -> ! {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static ENDING: AtomicBool = AtomicBool::new(false);
    // Several threads may meet the same trouble, and this one may on its way out.
    if ENDING.swap(true, Relaxed) {
        // SAFETY: only waits for the other thread to end the process.
        unsafe { libc::sleep(1) };
    } else {
        // SAFETY: the message is there, and nothing is expected of a stderr that is closed.
        unsafe { libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len()) };
        evenkeel::atomic_file::try_remove_unfinished();
    }
    // SAFETY: ends the process at once; nothing that could need memory runs any more.
    unsafe { libc::_exit(status.into()) }
}
