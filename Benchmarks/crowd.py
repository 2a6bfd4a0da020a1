"""A crowd that stays: nothing is lost, and memory is the same at the end."""
import time

from harness import Missing
from peers import RELAY_KEY, RELAY_SECRET
from relay import LIMITS, OPTIONS, Fanout, hato, require_machine

CHANNELS, MEMBERS, MESSAGES = 190, 100, 100
SAMPLE_SECONDS = 30


def part_crowd(bench):
    """19,000 connections in 190 channels of 100 members, 100 messages a second in all, each to the 99 others."""
    require_machine(CHANNELS * MEMBERS)
    seconds = bench.options.crowd_seconds
    relay = hato(bench, 'crowd')
    bench.line('Hato is started with', 0, ' '.join(OPTIONS) + '; ' + ' '.join(LIMITS) + ' (off, the defaults)')
    server = relay.server
    server.settle()
    at_start = server.resident_mb()
    crowd = Fanout(bench, relay, MEMBERS, CHANNELS, publisher=False)
    try:
        connected = server.ask('GET', '/api/connections/sum',
                               headers={'key': RELAY_KEY, 'secret': RELAY_SECRET})['connections']
        if connected != CHANNELS * MEMBERS:
            bench.void(f'{connected} connections instead of {CHANNELS * MEMBERS}')
        server.settle()
        all_in = server.resident_mb()
        crowd.begin(f'rate {MESSAGES} {seconds}')
        began, samples = time.monotonic(), []
        while not crowd.ends_within(SAMPLE_SECONDS):
            samples.append(server.resident_mb())
            print(f'   {time.monotonic() - began:>6.0f} s: {samples[-1]:.1f} MB resident', flush=True)
            if len(samples) * SAMPLE_SECONDS > seconds + 120:
                raise Missing('the load does not end')
        at_end = server.resident_mb()
        result = crowd.finish(f'{MESSAGES} messages a second for {seconds:g} s')
    finally:
        crowd.close()
    report(bench, result, seconds, at_start, all_in, samples, at_end)
    bench.stop(server)


def report(bench, result, seconds, at_start, all_in, samples, at_end):
    count = CHANNELS * MEMBERS
    bench.line(f'{count:,} connections: resident at the start, all in', 0,
               f'{at_start:.1f}, {all_in:.1f} MB ({(all_in - at_start) * 1024 * 1024 / count:,.0f} bytes each)')
    bench.line(f'resident every {SAMPLE_SECONDS} s; at the end', 0,
               ' '.join(f'{sample:.1f}' for sample in samples) + f'; {at_end:.1f} MB')
    growth = max([*samples, at_end]) - all_in
    bench.line(f'most that it grew while {count:,} were held', growth, f'{growth:.2f} MB', all_in * 0.02 + 1,
               f'<= 2 % + 1 MB = {all_in * 0.02 + 1:.2f} MB')
    bench.line('lost of the deliveries', result['lost'],
               f'{result["lost"]} of {result["deliveries"] + result["lost"]:,}, {result["closed"]} connections closed', 0, '0')
    bench.line('deliveries a second', 0, f'{result["rate"]:,.0f}')
    bench.line('latency of a delivery', 0, f'p50 {result["p50_us"]}, p99 {result["p99_us"]}, longest {result["max_us"]} us')
    bench.line('CPU of one core', 0, f'{result["cpu_seconds"] / result["seconds"]:.1%}, with {result["pings"]:,} pings answered')
